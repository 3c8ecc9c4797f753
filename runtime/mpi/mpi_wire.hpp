// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control messages over MPI.
#pragma once

#include <memory>
#include <vector>

#include "runtime/collective/control_wire.hpp"
#include "runtime/collective/failure.hpp"
#include "runtime/mpi/mpi_state.hpp"

namespace partita::collective {

class MpiWire final : public ControlWire {
 public:
  /// `comm` is borrowed and used by this alone.
  MpiWire(MPI_Comm comm, std::shared_ptr<FailureState> failure);
  MpiWire(const MpiWire&) = delete;
  MpiWire& operator=(const MpiWire&) = delete;
  ~MpiWire() override;

  FairMutex& mutex() override { return mpi_mutex(); }
  void send(int to, const Message& message) override;
  bool is_idle() override;
  std::optional<Received> receive() override;

 private:
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    Message message;
  };
  void post_receive();

  MPI_Comm comm_;
  std::shared_ptr<FailureState> failure_;
  Message incoming_;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  std::vector<std::unique_ptr<Outgoing>> outgoing_;
};

}  // namespace partita::collective
