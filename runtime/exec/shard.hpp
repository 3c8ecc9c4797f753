// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One shard of a session: a device, the buffers bound to the plan on it, and the interpreter that
// walks the plan's steps.  Used from one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/host_function.hpp"
#include "partita/collective/communicator.hpp"
#include "partita/device/device.hpp"
#include "partita/exec/executor.hpp"
#include "runtime/exec/arena_pieces.hpp"
#include "runtime/exec/poison.hpp"
#include "runtime/exec/trace.hpp"
#include "runtime/exec/transfers.hpp"

namespace partita {

class Shard {
 public:
  /// `artifact` and `communicator` are borrowed.  Where `shares_constants`, the device uses the artifact's constants
  /// where they lie, if it can.
  Shard(const Artifact& artifact, std::shared_ptr<Device> device, Communicator& communicator,
        const SessionOptions& options, bool shares_constants);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  [[nodiscard]] Communicator& communicator() const { return communicator_; }
  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] Trace& trace() { return trace_; }
  /// Which part of the program's arrays it holds.
  [[nodiscard]] const ShardPlace& place() const { return place_; }
  /// Bytes this shard allocates for its buffers and its arena.
  [[nodiscard]] std::int64_t planned_bytes() const;
  /// Of these, what is neither argument nor result.
  [[nodiscard]] std::int64_t temporary_bytes() const;
  /// Bytes of its buffers and its arena, but for what it uses in memory of the host: that is added to `lent`, by where
  /// it begins.
  [[nodiscard]] std::int64_t held_bytes(std::map<const std::byte*, std::int64_t>& lent) const;
  /// A device error that names a value which is larger than the device allows one buffer to be, if there is one.
  void check_largest_buffer() const;

  /// Whether a result lies in the memory of an input, which run() leaves without a value.
  [[nodiscard]] bool gives_up(int input) const;

  /// Compiles the kernels.
  void load();
  /// Allocates everything and uploads the constants.
  void allocate();
  /// Of that, only what executions on memory of the caller's need and do not bring.
  void allocate_constants();
  /// This shard's part of a global array, whose size the caller has checked; padding is zero.
  void write_input(int index, std::span<const std::byte> array);
  /// The same, used where it lies if the device can; false: copied.  The bytes stay as they are
  /// until the input has another value or the shard is gone.
  [[nodiscard]] bool lend_input(int index, std::span<const std::byte> array);
  void run();
  /// Memory for the arena, in pieces of at least so many bytes.
  using ArenaSource =
      std::function<std::vector<DeviceBufferPtr>(std::span<const std::int64_t> bytes)>;
  /// run() on memory of the caller's: inputs are read where they are, results are in memory that becomes the caller's, of
  /// inputs where `given_up`, for each of them, says so and the plan has such a result.
  [[nodiscard]] std::vector<DeviceBufferPtr> run_on(std::vector<DeviceBufferPtr> inputs,
                                                    const std::vector<bool>& given_up,
                                                    const ArenaSource& arena);
  /// Elements of output `index` on this shard.
  [[nodiscard]] std::vector<std::byte> read_output(int index);
  void carry(const std::vector<Carry>& carries);
  /// Of the last run.
  [[nodiscard]] RunStats stats() const;

 private:
  /// A buffer of the plan on this shard.
  struct Bound {
    DeviceBufferPtr memory;
    std::int64_t first = 0;  ///< element of `memory` at which the buffer begins
    std::int64_t count = 0;  ///< elements
  };
  /// A collective under way: what travels and where the result goes.
  struct Pending {
    struct Target {
      BoundBuffer at;
      DType dtype = DType::f32;
      std::size_t begin = 0, bytes = 0;  ///< of the staging memory
    };
    HostMemoryPtr staging;  // of at least `bytes`
    std::size_t bytes = 0;
    std::vector<Target> targets;
    DeviceEventPtr read;                 // the bytes are there
    DeviceEventPtr written;              // the result is on the device
    std::function<RequestPtr()> travel;  // once they are there; none: under way
    RequestPtr request;                  // after the bytes it reads, so that it ends before they do
    [[nodiscard]] std::span<std::byte> staged() const {
      return staging ? staging->bytes().first(bytes) : std::span<std::byte>();
    }
    bool active = false;
  };

  void set_place();
  /// Functions of the host that are there now are those which executions call.
  void hold_functions();
  [[nodiscard]] std::int64_t largest_allocation() const;
  void poison_memory();
  void check_margins();
  void bind(int buffer, DeviceBufferPtr memory);
  void bind_arena();
  void allocate_outputs();
  void release_ports();
  void rebind_ports();
  void own_input(int index);
  [[nodiscard]] std::size_t port_bytes(const PortInfo& port) const;
  [[nodiscard]] bool lies_in_donor(int output) const;
  [[nodiscard]] bool share_constant(int number);
  void hold_constant(int number);
  void abandon_collectives() noexcept;

  [[nodiscard]] std::set<int> used_constants() const;
  void note_outputs(const std::vector<std::size_t>& outputs);
  void execute(const Steps& steps);
  void execute(const Step& step);
  void execute_leaf(const Step& step);
  /// A launch whose arguments have their values.
  struct BoundLaunch {
    int kernel = 0;
    std::vector<BoundBuffer> buffers;
    std::vector<LaunchArgs::Scalar> scalars;
    std::array<std::int64_t, 3> global{}, local{};
    [[nodiscard]] LaunchArgs args() const { return {kernel, buffers, scalars, global, local}; }
  };
  [[nodiscard]] bool bind_launch(const Launch& x, BoundLaunch& to);
  /// A call of the plan that is ready.  Kernels get its address, and call run(this, operands, results).
  struct ReadyCall {
    void (*run)(const ReadyCall* self, const std::byte* const* operands,
                std::byte* const* results) = nullptr;
    PreparedCall call;
  };
  [[nodiscard]] const ReadyCall& ready(const MatrixCall& call, std::int64_t count);
  void run_step(const Launch& x);
  void run_step(const Gemm& x);
  void run_step(const Convolve& x);
  void run_step(const Copy& x);
  void run_step(const For& x);
  void run_step(const While& x);
  void run_ahead(const While& x, int most_ahead);
  void run_step(const Case& x);
  void run_step(const AllReduceStart& x);
  void run_step(const AllGatherStart& x);
  void run_step(const GroupStart& x);
  void run_step(const CollectiveDone& x);
  void run_step(const Check& x);
  void run_step(const HostCall& x);
  void run_step(const FunctionCall& x);

  [[nodiscard]] std::int64_t value(const HostExpr& e) const { return e.evaluate(variables_); }
  /// Where `ref` points; at least `elements` lie behind it (an internal error otherwise).
  /// Work on it that is enqueued from now on finds what was uploaded to it.
  [[nodiscard]] BoundBuffer locate(const BufferRef& ref, std::int64_t elements);
  [[nodiscard]] DType dtype_of(const BufferRef& ref) const;
  void read_elements(const BufferRef& ref, DType dtype, std::span<std::byte> to);
  [[nodiscard]] bool read_flag(const BufferRef& ref);
  [[nodiscard]] bool depends_on_block(const HostExpr& e) const;
  [[nodiscard]] const Placement& placement_of(const std::string& axis) const;
  [[nodiscard]] RequestPtr meet(const GroupMeeting& meeting, std::span<const std::byte> from,
                                std::span<std::byte> to);
  Pending& begin_request(int request, std::size_t bytes);
  [[nodiscard]] DeviceEventPtr stage(const BoundBuffer& from, std::size_t width,
                                     std::span<std::byte> to);
  void let_travel(int request, std::function<RequestPtr()> travel);
  void begin_travels();

  const Artifact& artifact_;
  const Plan& plan_;
  std::shared_ptr<Device> device_;
  Communicator& communicator_;
  ShardPlace place_;
  std::vector<int> groups_;    // numbers in the communicator of the plan's lists of groups
  int placement_groups_ = -1;  // shards with the same number in the mesh; -1: the whole job
  bool shares_constants_;
  bool donates_;
  std::vector<Carry> carries_;  ///< SessionOptions::carries
  Trace trace_;
  DeviceProgramPtr program_;
  std::map<std::string, HostFunctionPtr> functions_;
  std::unordered_map<const MatrixCall*, ReadyCall> ready_;  // by where they lie in the plan
  std::vector<std::int64_t> variables_;
  std::vector<bool> is_block_variable_;
  std::vector<DeviceBufferPtr> inputs_, outputs_;  // inputs: null before they have a value
  std::vector<std::span<const std::byte>>
      lent_;  // per input: memory of the host that is used in place
  ArenaPieces pieces_;
  std::vector<DeviceBufferPtr> arena_;  // per piece
  std::vector<DeviceBufferPtr> constants_;
  std::vector<bool> is_shared_;  // per constant: used where the artifact has it
  Transfers transfers_;
  std::vector<std::vector<std::size_t>>
      outputs_made_;                         // by each step of the plan, where copies overlap
  std::vector<DeviceEventPtr> output_made_;  // per output, in the last run; null: not known
  Poison poison_;
  std::vector<Bound> bound_;  // per plan buffer
  std::vector<Pending> pending_;
  std::deque<int> waiting_;  // requests whose bytes are on their way to the host, in order
  HostMemoryPtr flags_;      // of loops that run ahead
  const Step* current_ = nullptr;
  RunStats stats_;
  Communicator::Counters counters_before_;
  BoundLaunch launch_;  // scratch of run_step(Launch)
};

}  // namespace partita
