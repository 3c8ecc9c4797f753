// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// partita.h in C++ (C++17): owners instead of free functions, exceptions instead of status codes,
// spans of elements instead of bytes.  Header-only over the C ABI, so a program built with it keeps
// working with a newer library; what each call does is said in partita.h.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "partita.h"

namespace partita::host {

/// A call that failed: what() is partita_last_error().
class Error : public std::runtime_error {
 public:
  Error(partita_status status, const std::string& text)
      : std::runtime_error(text), status_(status) {}
  [[nodiscard]] partita_status status() const noexcept { return status_; }

 private:
  partita_status status_;
};

inline void check(partita_status status) {
  if (status != PARTITA_OK) throw Error(status, partita_last_error());
}

namespace detail {
/// Whether elements that lie in memory as Storage and are computed in Value are those of an array of T.
template <class T, class Storage, class Value>
[[nodiscard]] constexpr bool is_array_of() noexcept {
  if constexpr (std::is_integral_v<Storage> && std::is_same_v<Storage, Value>)  // long or long long
    return std::is_integral_v<T> && !std::is_same_v<T, bool> &&
           std::is_signed_v<T> == std::is_signed_v<Storage> && sizeof(T) == sizeof(Storage);
  else
    return std::is_same_v<T, Storage> || (std::is_same_v<T, bool> && std::is_same_v<Value, bool>);
}
}  // namespace detail

/// Whether an array of T holds elements of a dtype: floats of at most 16 bits are unsigned integers of
/// their bytes, integers of fewer than 8 bits are those of 8, bool is one byte.
template <class T>
[[nodiscard]] constexpr bool holds(partita_dtype dtype) noexcept {
  switch (dtype) {
#define PARTITA_DTYPE(name, text, Storage, Value, format, numpy, c_name, c_number) \
  case PARTITA_##c_name:                                                           \
    return detail::is_array_of<T, Storage, Value>();
#include "partita/base/dtype.def"
  }
  return false;
}

/// One argument or result; types are global.
struct Port {
  std::string name;
  partita_dtype dtype = PARTITA_F32;
  std::vector<std::int64_t> dims;
  std::size_t bytes = 0;
  std::string placement;  ///< axis over which dimension 0 is split and nothing else, or empty
  std::vector<std::int64_t> local_dims;  ///< on a shard of the mesh, before placements split
  struct Axis {
    std::string name;
    std::size_t dim = 0;
    std::int64_t size = 0;  ///< pieces along this axis
    bool is_placement = false;
  };
  std::vector<Axis> axes;  ///< in order of dimensions, of one dimension the major first

  /// Number of elements.
  [[nodiscard]] std::size_t count() const { return bytes / partita_dtype_size(dtype); }
};

class Artifact {
 public:
  explicit Artifact(const std::string& path) {
    partita_artifact* handle = nullptr;
    check(partita_artifact_load(path.c_str(), &handle));
    handle_.reset(handle);
  }
  /// From bytes in memory, which are not needed afterwards.
  Artifact(const void* bytes, std::size_t size, const std::string& name = "memory") {
    partita_artifact* handle = nullptr;
    check(partita_artifact_parse(bytes, size, name.c_str(), &handle));
    handle_.reset(handle);
  }

  /// Takes over what a call of the C ABI made, such as partita_compile().
  explicit Artifact(partita_artifact* made) noexcept : handle_(made) {}

  [[nodiscard]] const partita_artifact* get() const noexcept { return handle_.get(); }
  void save(const std::string& path) const { check(partita_artifact_save(get(), path.c_str())); }
  /// Names of its functions; this object is about the first.
  [[nodiscard]] std::vector<std::string> functions() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < partita_artifact_function_count(get()); ++i)
      names.emplace_back(partita_artifact_function_name(get(), i));
    return names;
  }
  /// That function alone.
  [[nodiscard]] Artifact function(const std::string& name) const {
    partita_artifact* one = nullptr;
    check(partita_artifact_function(get(), name.c_str(), &one));
    return Artifact(one);
  }
  [[nodiscard]] std::string target() const { return partita_artifact_target(get()); }
  [[nodiscard]] std::vector<Port> inputs() const {
    return ports(partita_artifact_input_count(get()), partita_artifact_input);
  }
  [[nodiscard]] std::vector<Port> outputs() const {
    return ports(partita_artifact_output_count(get()), partita_artifact_output);
  }
  [[nodiscard]] std::size_t find_input(const std::string& name) const {
    std::size_t index = 0;
    check(partita_artifact_find_input(get(), name.c_str(), &index));
    return index;
  }
  [[nodiscard]] std::size_t find_output(const std::string& name) const {
    std::size_t index = 0;
    check(partita_artifact_find_output(get(), name.c_str(), &index));
    return index;
  }

 private:
  using PortFunction = partita_status (*)(const partita_artifact*, std::size_t, partita_port*);

  [[nodiscard]] std::vector<Port> ports(std::size_t count, PortFunction describe) const {
    std::vector<Port> all;
    for (std::size_t i = 0; i < count; ++i) {
      partita_port port{};
      port.struct_size = sizeof port;
      check(describe(get(), i, &port));
      Port own;
      own.name = port.name;
      own.dtype = port.dtype;
      own.dims.assign(port.dims, port.dims + port.rank);
      own.bytes = port.bytes;
      if (port.placement != nullptr) own.placement = port.placement;
      own.local_dims.assign(port.local_dims, port.local_dims + port.rank);
      for (std::size_t k = 0; k < port.axis_count; ++k) {
        const partita_port_axis& axis = port.axes[k];
        own.axes.push_back({axis.name, axis.dim, axis.size, axis.is_placement != 0});
      }
      all.push_back(std::move(own));
    }
    return all;
  }

  struct Free {
    void operator()(partita_artifact* artifact) const noexcept { partita_artifact_free(artifact); }
  };
  std::unique_ptr<partita_artifact, Free> handle_;
};

/// Options with their defaults; set fields, then make a Session.
[[nodiscard]] inline partita_session_options default_options() {
  partita_session_options options{};
  options.struct_size = sizeof options;
  return options;
}

class Session {
 public:
  explicit Session(const Artifact& artifact,
                   const partita_session_options& options = default_options()) {
    partita_session* handle = nullptr;
    check(partita_session_create(artifact.get(), &options, &handle));
    handle_.reset(handle);
    inputs_ = artifact.inputs();
    outputs_ = artifact.outputs();
  }

  [[nodiscard]] partita_session* get() const noexcept { return handle_.get(); }
  [[nodiscard]] int rank() const { return partita_session_rank(get()); }
  [[nodiscard]] int ranks() const { return partita_session_ranks(get()); }

  /// An array of another element type than the input's is refused, as one of another size is.
  template <class T>
  void set_input(std::size_t index, const std::vector<T>& values) {
    check_type<T>("input", inputs_, index);
    check(partita_session_set_input(get(), index, values.data(), values.size() * sizeof(T)));
  }
  void set_input(std::size_t index, const void* data, std::size_t bytes) {
    check(partita_session_set_input(get(), index, data, bytes));
  }
  /// The memory stays the caller's and as it is: see partita_session_lend_input.
  void lend_input(std::size_t index, const void* data, std::size_t bytes) {
    check(partita_session_lend_input(get(), index, data, bytes));
  }

  void submit() { check(partita_session_submit(get())); }
  void wait() { check(partita_session_wait(get())); }
  void run() { check(partita_session_run(get())); }
  void carry(std::initializer_list<partita_carry> carries) {
    check(partita_session_carry(get(), carries.begin(), carries.size()));
  }

  /// Fills `values`, which has the output's number of elements on rank 0; others leave it alone.
  template <class T>
  void read_output(std::size_t index, std::vector<T>& values) {
    check_type<T>("output", outputs_, index);
    check(partita_session_read_output(get(), index, values.data(), values.size() * sizeof(T)));
  }
  void read_output(std::size_t index, void* data, std::size_t bytes) {
    check(partita_session_read_output(get(), index, data, bytes));
  }

  [[nodiscard]] partita_stats stats() const {
    partita_stats stats{};
    stats.struct_size = sizeof stats;
    check(partita_session_stats(get(), &stats));
    return stats;
  }
  [[nodiscard]] std::string trace() {
    const char* json = "";
    check(partita_session_trace(get(), &json));
    return json;
  }

 private:
  struct Free {
    void operator()(partita_session* session) const noexcept { partita_session_free(session); }
  };
  /// An index beyond the ports is left to the call itself.
  template <class T>
  static void check_type(const char* kind, const std::vector<Port>& ports, std::size_t index) {
    if (index >= ports.size() || holds<T>(ports[index].dtype)) return;
    throw Error(PARTITA_ERROR_USER, std::string(kind) + " " + std::to_string(index) + " (" +
                                        ports[index].name + "): expected elements of " +
                                        partita_dtype_name(ports[index].dtype) +
                                        ", found an array of another type");
  }

  std::unique_ptr<partita_session, Free> handle_;
  std::vector<Port> inputs_, outputs_;
};

}  // namespace partita::host
