// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/layouts.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "partita/base/error.hpp"
#include "plugin/buffer.hpp"
#include "plugin/error.hpp"
#include "plugin/executable.hpp"
#include "plugin/functions.hpp"

namespace partita::pjrt {

/// As XLA writes a layout: dimensions from the one whose elements lie side by side.
struct MemoryLayout {
  std::string text;
};

MemoryLayout* row_major_layout(std::size_t rank) {
  static std::mutex mutex;
  static std::map<std::size_t, std::unique_ptr<MemoryLayout>> layouts;
  const std::lock_guard lock(mutex);
  std::unique_ptr<MemoryLayout>& layout = layouts[rank];
  if (layout == nullptr) {
    std::string text = "{";
    for (std::size_t d = rank; d-- > 0;) text += cat(text.size() > 1 ? "," : "", d);
    layout = std::make_unique<MemoryLayout>(text + "}");
  }
  return layout.get();
}

namespace {

void destroy_layout(abi::LayoutDestroy&) {}  // they stay

void serialize_layout(abi::LayoutSerialize& call) {
  call.bytes = call.layout->text.data();
  call.bytes_size = call.layout->text.size();
  call.owner = nullptr;
  call.deleter = [](void*) {};
}

void client_default(abi::LayoutDefault& call) { call.layout = row_major_layout(call.num_dims); }

void of_buffer(abi::LayoutOfBuffer& call) {
  call.layout = row_major_layout(call.buffer->type.dims.size());
}

void of_outputs(abi::LayoutsOfExecutable& call) {
  call.count = call.executable->output_layouts.size();
  call.layouts = call.executable->output_layouts.data();
}

void of_parameters(abi::LayoutsOfExecutable& call) {
  call.count = call.executable->input_layouts.size();
  call.layouts = call.executable->input_layouts.data();
}

Error* topology_default(void*) {
  return new Error{abi::unimplemented, "layouts of a topology are not part of partita"};
}

}  // namespace

abi::LayoutsExtension layouts_table(abi::Extension* next) {
  return {.base = {sizeof(abi::LayoutsExtension), abi::layouts_extension, next},
          .destroy = call<destroy_layout>,
          .serialize = call<serialize_layout>,
          .client_default = call<client_default>,
          .of_buffer = call<of_buffer>,
          .topology_default = topology_default,
          .of_outputs = call<of_outputs>,
          .of_parameters = call<of_parameters>};
}

}  // namespace partita::pjrt
