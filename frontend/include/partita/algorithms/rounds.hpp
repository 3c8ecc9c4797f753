// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rounds over the partitions of a placement.  `params` are leaves [s…], `data` leaves [n, s…] with the
// partitions first; what is placed has the partitions first too.
#pragma once

#include <string>

#include "partita/algorithms/training.hpp"

namespace partita::algorithms {

/// Mean over the partitions of each one's loss on its data; differentiated, it costs one all-reduce per
/// element type.
Array mean_loss(const std::string& placement, const Loss& loss, const Arrays& params,
                const Arrays& data);

/// Every partition's model after training from the same model: leaves [n, s…].  No communication.
Arrays local_models(const std::string& placement, const LocalTraining& training,
                    const Arrays& params, const Arrays& data);
/// The same from the partitions' own models [n, s…].
Arrays train_each(const std::string& placement, const LocalTraining& training, const Arrays& models,
                  const Arrays& data);

/// A step of the optimiser on the mean loss: FedSGD (McMahan et al. 2017, arXiv 1602.05629).
Stepped fed_sgd(const std::string& placement, const Loss& loss, const Optimizer& optimizer,
                const Arrays& params, const Arrays& state, const Arrays& data);
/// The mean of the local models: FedAvg (McMahan et al. 2017, arXiv 1602.05629).
Arrays fed_avg(const std::string& placement, const LocalTraining& training, const Arrays& params,
               const Arrays& data);
/// Means weighted by `weights` [n], which may be learned: they are differentiated as any argument.
Arrays weighted_fed_avg(const std::string& placement, const LocalTraining& training,
                        const Arrays& params, const Arrays& data, const Array& weights);
/// FedAvg whose local losses have the term of with_proximal_term around the server's model.
Arrays fed_prox(const std::string& placement, const LocalTraining& training, const Array& strength,
                const Arrays& params, const Arrays& data);
/// A step of the server's optimiser along the mean change of the local models, taken as the negative of a
/// gradient: FedOpt (Reddi et al. 2021, arXiv 2003.00295).
Stepped fed_opt(const std::string& placement, const LocalTraining& training,
                const Optimizer& server, const Arrays& params, const Arrays& state,
                const Arrays& data);
/// Mean change of the local models, [s…].
Arrays mean_change(const std::string& placement, const LocalTraining& training,
                   const Arrays& params, const Arrays& data);

/// Moves each model to keep·model + (1 − keep)·mean of all: the step of PAPA (Jolicoeur-Martineau et al. 2023,
/// arXiv 2304.03094) that follows train_each.  keep = 0: all become the mean.
Arrays pull_to_mean(const std::string& placement, const Arrays& models, const Array& keep);
/// Local training, then pull_to_mean.  models: [n, s…].
Arrays papa(const std::string& placement, const LocalTraining& training, const Array& keep,
            const Arrays& models, const Arrays& data);

/// Branches from one model, trained without communication, merged once by `weights` [n]:
/// branch-train-merge (Li et al. 2022, arXiv 2208.03306).
Arrays branch_train_merge(const std::string& placement, const LocalTraining& training,
                          const Arrays& params, const Arrays& data, const Array& weights);

}  // namespace partita::algorithms
