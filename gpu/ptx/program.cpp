// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs (modules of PTX), kernels, launches.
#include <algorithm>

#include "gpu/ptx/api.hpp"
#include "gpu/ptx/support.hpp"

namespace partita::ptx {

cl_program CL_API_CALL create_program(cl_context, cl_uint count, const char** texts,
                                      const std::size_t* lengths, cl_int* code) {
  auto* program = new _cl_program;  // NOLINT
  for (cl_uint i = 0; i < count; ++i)
    program->source += lengths == nullptr || lengths[i] == 0 ? std::string(texts[i])
                                                             : std::string(texts[i], lengths[i]);
  set_code(code, CL_SUCCESS);
  return program;
}

cl_program CL_API_CALL create_program_of_binary(cl_context, cl_uint, const cl_device_id*,
                                                const std::size_t*, const unsigned char**, cl_int*,
                                                cl_int* code) {
  set_code(code, CL_INVALID_BINARY);
  return nullptr;
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint, const cl_device_id*,
                                 const char* options, void(CL_CALLBACK*)(cl_program, void*),
                                 void*) {
  const std::string name = ptx_name(program->source, options == nullptr ? "" : options);
  const auto text = find_ptx(name);
  if (!text) {
    program->log = "no PTX was made of this text: expected " + name + " in PARTITA_PTX_DIR";
    return CL_BUILD_PROGRAM_FAILURE;
  }
  const Cuda& c = cuda();
  std::string log(8192, '\0');
  int wanted[] = {jit_error_log, jit_error_log_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  if (const Result result = c.module_load(&program->module, text->c_str(), 2, wanted, values);
      result != 0) {
    program->log =
        name + ": error " + std::to_string(result) + " of cuModuleLoadDataEx\n" + log.c_str();
    return CL_BUILD_PROGRAM_FAILURE;
  }
  program->kernels = read_kernels(*text);
  std::size_t bytes = 0;
  if (c.module_global(&program->offset_address, &bytes, program->module, "partita_offset") != 0)
    program->offset_address = 0;
  return CL_SUCCESS;
}

cl_int CL_API_CALL retain_program(cl_program program) { return retain(program); }

cl_int CL_API_CALL release_program(cl_program program) {
  if (!is_released(program)) return CL_SUCCESS;
  const Cuda& c = cuda();
  c.context_wait();
  if (program->module != nullptr) c.module_unload(program->module);
  delete program;  // NOLINT
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_program_info(cl_program, cl_program_info what, std::size_t bytes,
                                    void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  if (what == CL_PROGRAM_BINARY_SIZES) return give(to, std::size_t{0});
  if (what == CL_PROGRAM_NUM_DEVICES) return give(to, cl_uint{1});
  if (what == CL_PROGRAM_BINARIES) return CL_SUCCESS;
  return CL_INVALID_VALUE;
}

cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id, cl_program_build_info what,
                                  std::size_t bytes, void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  if (what == CL_PROGRAM_BUILD_LOG) return give_text(to, program->log);
  if (what == CL_PROGRAM_BUILD_STATUS)
    return give(to,
                cl_build_status{program->module != nullptr ? CL_BUILD_SUCCESS : CL_BUILD_ERROR});
  return CL_INVALID_VALUE;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* code) {
  const auto text = std::ranges::find(program->kernels, name, &KernelText::name);
  set_code(code, CL_INVALID_KERNEL_NAME);
  if (text == program->kernels.end()) return nullptr;
  const Cuda& c = cuda();
  auto* kernel = new _cl_kernel;  // NOLINT
  kernel->text = *text;
  kernel->arguments.resize(text->parameters.size());
  kernel->program = program;
  if (c.module_function(&kernel->function, program->module, name) != 0 ||
      c.function_attribute(&kernel->most_items, function_most_threads, kernel->function) != 0) {
    delete kernel;  // NOLINT
    return nullptr;
  }
  retain(program);
  set_code(code, CL_SUCCESS);
  return kernel;
}

cl_int CL_API_CALL retain_kernel(cl_kernel kernel) { return retain(kernel); }

cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  if (!is_released(kernel)) return CL_SUCCESS;
  release_program(kernel->program);
  delete kernel;  // NOLINT
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info what, std::size_t bytes,
                                   void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  if (what == CL_KERNEL_NUM_ARGS) return give(to, cl_uint(kernel->arguments.size()));
  if (what == CL_KERNEL_FUNCTION_NAME) return give_text(to, kernel->text.name);
  return CL_INVALID_VALUE;
}

cl_int CL_API_CALL get_kernel_group_info(cl_kernel kernel, cl_device_id,
                                         cl_kernel_work_group_info what, std::size_t bytes,
                                         void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  constexpr std::size_t warp = 32;
  if (what == CL_KERNEL_WORK_GROUP_SIZE) return give(to, std::size_t(kernel->most_items));
  if (what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE) return give(to, kernel->text.group);
  if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) return give(to, warp);
  return CL_INVALID_VALUE;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, std::size_t bytes,
                                const void* value) {
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const Parameter& parameter = kernel->text.parameters[index];
  if (bytes != parameter.bytes || value == nullptr) return CL_INVALID_ARG_SIZE;
  const void* from = value;
  if (parameter.is_buffer) {
    const cl_mem memory = *static_cast<const cl_mem*>(value);
    if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
    from = &memory->address;
  }
  kernel->arguments[index].resize(bytes);
  std::memcpy(kernel->arguments[index].data(), from, bytes);
  return CL_SUCCESS;
}

namespace {

/// A launch in CUDA's terms.
struct Grid {
  std::array<unsigned, 3> groups{1, 1, 1}, items{1, 1, 1};
  std::array<std::uint64_t, 3> offset{};
};

Result launch(const Cuda& c, cl_command_queue queue, cl_kernel kernel, const Grid& grid) {
  cl_program program = kernel->program;
  std::vector<void*> values;
  for (auto& argument : kernel->arguments) values.push_back(argument.data());
  // What a launch begins at is the module's: it must not change between this copy and the launch.
  const std::scoped_lock lock(program->mutex);
  if (program->offset_address != 0 && program->offset != grid.offset) {
    program->offset = grid.offset;
    if (const Result result = c.write(program->offset_address, program->offset.data(),
                                      sizeof program->offset, queue->stream);
        result != 0)
      return result;
    if (const Result result = c.stream_wait(queue->stream); result != 0) return result;
  }
  return c.launch(kernel->function, grid.groups[0], grid.groups[1], grid.groups[2], grid.items[0],
                  grid.items[1], grid.items[2], 0, queue->stream, values.data(), nullptr);
}

}  // namespace

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const std::size_t* offset, const std::size_t* global,
                                  const std::size_t* local, cl_uint count, const cl_event* events,
                                  cl_event* event) {
  for (const auto& argument : kernel->arguments)
    if (argument.empty()) return CL_INVALID_KERNEL_ARGS;
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  Grid grid;
  for (cl_uint d = 0; d < dimensions; ++d) {
    const std::size_t items =
        local != nullptr ? local[d] : std::max<std::size_t>(kernel->text.group[d], 1);
    if (items == 0 || global[d] % items != 0) return CL_INVALID_WORK_GROUP_SIZE;
    grid.items[d] = unsigned(items);
    grid.groups[d] = unsigned(global[d] / items);
    grid.offset[d] = offset == nullptr ? 0 : offset[d];
  }
  if (grid.groups[0] == 0 || grid.groups[1] == 0 || grid.groups[2] == 0)
    return CL_INVALID_GLOBAL_WORK_SIZE;
  return enqueue(queue, {count, events, event},
                 [&](const Cuda& c) { return launch(c, queue, kernel, grid); });
}

}  // namespace partita::ptx
