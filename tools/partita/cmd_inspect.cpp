// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita inspect`: what is in an artifact.
#include <iostream>

#include "partita/artifact/describe.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/time_model.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/device_choice.hpp"

namespace partita::tool {

namespace {

struct InspectOptions {
  std::string path, function, variant, device;
  bool sharding = false;
};

/// What the variant for GPUs takes by the model of time.
std::string time_text(Artifact& artifact, const InspectOptions& options) {
  driver::CompileOptions device{.target = artifact.target};
  apply(DeviceChoice{.device = options.device, .tuning = ""}, device);
  const driver::ModelledDevice modelled = driver::modelled_device(device);
  if (modelled.info.device_class != DeviceClass::simt)
    throw_user_error(cat("--device: expected a GPU, found '", options.device, "'"));
  select_variant(artifact, DeviceClass::simt);
  if (artifact.device_class != DeviceClass::simt)
    throw_user_error("--device: expected an artifact with a variant for GPUs, found none",
                     {.file = options.path});
  return to_text(driver::estimate_time(artifact, modelled), modelled);
}

int inspect(const InspectOptions& options) {
  Artifact artifact = load_artifact(options.path);
  if (!options.function.empty()) artifact = one_function(artifact, options.function);
  if (!options.device.empty()) {
    std::cout << time_text(artifact, options);
    return 0;
  }
  for (const DeviceClass c : {DeviceClass::multicore, DeviceClass::simt})
    if (options.variant == to_string(c)) select_variant(artifact, c);
  if (!options.variant.empty() && options.variant != to_string(artifact.device_class))
    throw_user_error(cat("--variant: expected ", options.variant, " in the artifact, found ",
                         to_string(artifact.device_class)),
                     {.file = options.path});
  std::cout << (options.sharding ? describe_sharding(artifact) : describe_artifact(artifact));
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Show what an artifact holds");
  command->add_option("artifact", options->path, "Artifact (.pta)")->required();
  command->add_option("--function", options->function,
                      "Function to show, as an artifact of its own (default: the first)");
  command
      ->add_option("--variant", options->variant,
                   "Class of devices whose variant to show (default: the first)")
      ->check(CLI::IsMember({std::string(to_string(DeviceClass::multicore)),
                             std::string(to_string(DeviceClass::simt))}));
  auto* device = command->add_option("--device", options->device,
                                     "GPU, as for `compile --device`, for which to estimate the "
                                     "kernels' times by a model instead");
  command->add_flag("--sharding", options->sharding, "Show how values lie over the shards instead")
      ->excludes(device);
  command->callback([&action, options] { action = [options] { return inspect(*options); }; });
}

}  // namespace partita::tool
