// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The plan: what a shard does, as a small structured program over buffers.  Every shard runs the
// same plan; what differs is the value of the block variables.  Code generation writes it, the
// executor reads it, and plan_json.hpp is its form in an artifact.  Pure data, no device types.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "partita/artifact/host_expr.hpp"
#include "partita/base/array_block.hpp"
#include "partita/base/combiner.hpp"
#include "partita/base/type.hpp"
#include "partita/base/wire.hpp"
#include "partita/linalg/matrix_routine.hpp"

namespace partita {

/// A named axis of `size` partitions.  Shard s of S holds [s·size/S, (s+1)·size/S).
struct Placement {
  std::string name;
  std::int64_t size = 0;
  /// Variables of the plan that hold this shard's block bounds; -1 where the axis is not split.
  int begin_variable = -1;
  int end_variable = -1;
};

/// An axis of the mesh whose one shard the plan is for.
struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

/// Lists of shards of the mesh that meet, by their numbers; for permute pairs [source, target].
using ShardLists = std::vector<std::vector<int>>;

enum class BufferKind : std::uint8_t {
  input,     ///< argument `index` of the program
  output,    ///< result `index` of the program
  constant,  ///< Artifact::constants[index]
  arena,     ///< temporary at `arena_offset` of the shard's arena
  block,     ///< temporary outside the arena whose size depends on the shard's block
  spare,  ///< temporary at `arena_offset` of the memory of result `index`, which is written later
};

/// Whether it lies in the memory of a result.
[[nodiscard]] inline bool is_of_output(BufferKind kind) {
  return kind == BufferKind::output || kind == BufferKind::spare;
}

struct Buffer {
  BufferKind kind = BufferKind::arena;
  int index = 0;
  DType dtype = DType::f32;
  HostExpr count;  ///< elements on this shard
  /// Bytes; a multiple of place_alignment.  Where places have a byte in common, their values are not alive together.
  std::int64_t arena_offset = 0;
  std::string name;  ///< of the value it holds, for traces and messages
};

/// Bytes of which the place of a temporary of so many bytes is a multiple: small ones lie close together.
[[nodiscard]] constexpr std::int64_t place_alignment(std::int64_t bytes) {
  constexpr std::int64_t most = 128, least = 16;  // of an element at least
  return bytes >= most ? most
                       : std::int64_t(std::bit_ceil(std::uint64_t(bytes < least ? least : bytes)));
}

/// Element `offset` of a buffer; offsets reach kernels as arguments, never as sub-buffers.
struct BufferRef {
  int buffer = -1;
  HostExpr offset;
  friend bool operator==(const BufferRef&, const BufferRef&) = default;
};

struct ScalarArg {
  DType dtype = DType::i64;  ///< i32 or i64
  HostExpr value;
  friend bool operator==(const ScalarArg&, const ScalarArg&) = default;
};

/// A call of a routine that cannot fail, for so many matrices, which a kernel in the host's process makes.
struct KernelCall {
  MatrixCall call;
  std::int64_t count = 1;
  friend bool operator==(const KernelCall&, const KernelCall&) = default;
};

/// One kernel launch.  Kernel arguments in order: for each of `buffers` a pointer and its element
/// offset (a 64-bit integer), then `scalars`, then for each of `calls` the address of what begins with a function
/// void (*)(const void* itself, const void* const* operands, void* const* results).  A launch whose global size is 0 does
/// nothing.
struct Launch {
  int kernel = 0;  ///< index into Artifact::kernels
  std::vector<BufferRef> buffers;
  std::vector<ScalarArg> scalars;
  std::vector<KernelCall> calls;
  std::array<HostExpr, 3> global{1, 1, 1};  ///< work-items; multiples of `local` where that is set
  std::array<std::int64_t, 3> local{0, 0, 0};  ///< 0: the device chooses
  friend bool operator==(const Launch&, const Launch&) = default;
};

/// c[b] = alpha · op(a[b]) · op(b[b]) + beta · c[b] for b in [0, batch), row-major, by the
/// target's library.  op(a) is m×k, op(b) k×n; strides in elements.
struct Gemm {
  DType dtype = DType::f32;
  bool reads_bf16 = false;  ///< a and b hold bf16, multiplied and added as f32, which `dtype` is
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;
  BufferRef a, b, c;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  HostExpr batch{1};
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
};

/// A spatial dimension of a Convolve step: window o meets elements o · stride - low + k · dilation, k in [0, size).
struct ConvolveWindow {
  std::int64_t input = 1;  ///< extent of the source
  std::int64_t size = 1, stride = 1, dilation = 1;
  std::int64_t low = 0,
               high = 0;  ///< zeros before and behind the source, fewer than a window reaches over
  /// Elements from the first that a window meets to the last.
  [[nodiscard]] constexpr std::int64_t reach() const { return (size - 1) * dilation + 1; }
  /// Windows: the extent of the result.
  [[nodiscard]] constexpr std::int64_t count() const {
    return (low + input + high - reach()) / stride + 1;
  }
  friend bool operator==(const ConvolveWindow&, const ConvolveWindow&) = default;
};

/// A convolution of f32 by the target's library: result[n, o…, f] is the sum over k… and i of
/// source[n, o · stride - low + k · dilation…, g · inputs + i] · weights[k…, i, f], g = f / outputs.  Source and result lie
/// densely in that order of dimensions: images, spatial ones, features.
struct Convolve {
  std::int64_t batch = 1;  ///< images
  std::int64_t groups = 1;
  std::int64_t inputs = 1, outputs = 1;  ///< features of a group
  std::vector<ConvolveWindow> window;    ///< by spatial dimension, of which there are one to three
  BufferRef source, weights, result;
  /// Elements between neighbours of the weights: along each dimension of the window, input features, output features
  /// (of all groups).
  std::vector<std::int64_t> weight_strides;
  /// Launches whose items are the elements of the result: of its elements an item reads its own alone.  They run when the
  /// elements are there, in any ranges, one launch after the other, before the rest of the result is.
  std::vector<Launch> then = {};

  [[nodiscard]] std::int64_t source_count() const;
  [[nodiscard]] std::int64_t result_count() const;
  /// Elements from the first of the weights to the last.
  [[nodiscard]] std::int64_t weight_span() const;
  [[nodiscard]] double multiply_adds() const;
};

struct Copy {
  BufferRef from, to;
  HostExpr count;  ///< elements; both buffers have one dtype
};

struct Step;
using Steps = std::vector<Step>;

struct For {
  int variable = 0;
  HostExpr begin, end;
  std::int64_t step = 1;
  Steps body;
};

/// Runs `condition`, reads one i1 from `predicate`, runs `body` while it holds.
struct While {
  Steps condition;
  BufferRef predicate;
  Steps body;
  /// The steps of the body do nothing where the predicate does not hold, so that it stays as it is: iterations
  /// may be enqueued before it is known whether there are so many.
  bool guarded = false;
};

/// Reads an i32 (or i1, true being branch 0) from `index`; out of range is the last branch.
struct Case {
  BufferRef index;
  DType index_dtype = DType::i32;
  std::vector<Steps> branches;
};

/// Part of a buffer that takes part in a collective.
struct Piece {
  BufferRef at;
  HostExpr count;
};

/// In-place all-reduce of all pieces over the shards of a placement's axis, or of groups of the mesh, as one call.
/// Pieces hold `dtype`, which is also what travels (small floats are converted by kernels before).
struct AllReduceStart {
  int request = 0;   ///< pairs with CollectiveDone
  std::string axis;  ///< of a placement; empty where there are groups
  int groups = -1;   ///< index into Plan::groups; -1: over the axis
  Combiner combiner = Combiner::sum;
  DType dtype = DType::f32;
  Wire wire = {};  ///< of sums of f32 over an axis
  std::vector<Piece> pieces;
};

/// Each shard's block of `from` ends up, in order of partitions, in every shard's `to`.
struct AllGatherStart {
  int request = 0;
  std::string axis;
  DType dtype = DType::f32;
  std::int64_t elements_per_partition = 0;
  BufferRef from, to;
};

/// What the shards of a group do together.
enum class GroupCall : std::uint8_t {
  all_reduce,      ///< everybody gets the combination of all
  all_gather,      ///< everybody gets all blocks, by position in the group
  reduce_scatter,  ///< position p gets the combination of all slices p
  all_to_all,      ///< slice j goes to position j, and what came from position i is slice i
  permute,         ///< each target gets its source's block, others zeros
};

inline constexpr std::array<std::string_view, 5> group_call_names{
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute"};
[[nodiscard]] constexpr std::string_view to_string(GroupCall call) {
  return group_call_names[std::size_t(call)];
}

/// A collective of the shards of each group of the mesh, but all_reduce.  `elements`: of a block or a slice; the side
/// that is stacked holds as many of them as a group has members.
struct GroupStart {
  int request = 0;
  GroupCall call = GroupCall::all_gather;
  int groups = 0;  ///< index into Plan::groups
  Combiner combiner = Combiner::sum;
  DType dtype = DType::f32;
  std::int64_t elements = 0;
  BufferRef from, to;
};

struct CollectiveDone {
  int request = 0;
};

/// Reads one i1; false is a user error with this text at run time.
struct Check {
  BufferRef condition;
  std::string message;
};

/// A routine on matrices that the host computes, for each of `count` matrices that lie one after another in every
/// operand and result.
struct HostCall {
  MatrixCall call;
  std::int64_t count = 1;
  std::vector<BufferRef> operands, results;
};

/// A function of the host application (base/host_function.hpp) on arrays of this shard.
struct FunctionCall {
  std::string function;
  bool once = false;  ///< the job's first shard calls it alone; results of the others are zeros
  std::vector<Type> operand_types, result_types;
  std::vector<BufferRef> operands, results;
};

struct Step {
  std::variant<Launch, Gemm, Copy, For, While, Case, AllReduceStart, AllGatherStart, CollectiveDone,
               Check, GroupStart, HostCall, Convolve, FunctionCall>
      what;
  std::string name;  ///< stable descriptive name, for traces, watchdog and errors
};

/// How an argument or result lies over the shards.
struct PortInfo {
  std::string name;    ///< argument name in the source, may be empty
  Type type;           ///< global type
  int placement = -1;  ///< index into Plan::placements when dimension 0 is split over the shards
  /// Per dimension: indices into Plan::mesh of the axes that cut it, the major first (array_block.hpp).  Empty: every
  /// shard of the mesh holds the whole.
  std::vector<std::vector<int>> axes;
  bool is_donated = false;  ///< an argument that the program's text gives up
  friend bool operator==(const PortInfo&, const PortInfo&) = default;
};

struct Plan {
  std::vector<PortInfo> inputs, outputs;
  /// For each result the argument, of the same type and layout, in whose memory it may lie where the caller gives that
  /// up: no step writes the one before all have read the other, or else in the place of what the same item reads.
  /// -1: none.  Empty: none of any.
  std::vector<int> donors;
  std::vector<Placement> placements;
  std::vector<MeshAxis> mesh;  ///< empty: of one shard
  int mesh_variable = -1;  ///< variable that holds the shard's number in the mesh; -1: none does
  std::vector<ShardLists> groups;
  std::vector<std::string> variables;  ///< names, for traces and inspect; values start at 0
  std::vector<Buffer> buffers;
  std::int64_t arena_bytes =
      0;  ///< constant in the number of partitions; sessions may cut the arena
  Steps steps;
  int requests = 0;  ///< number of collective requests
};

/// The block of shard `shard` of `shards` over `size` partitions: contiguous, balanced, may be empty.
struct BlockRange {
  std::int64_t begin = 0, end = 0;
};
[[nodiscard]] constexpr BlockRange block_of(std::int64_t size, int shard, int shards) {
  return {size * shard / shards, size * (shard + 1) / shards};
}

/// Whether arguments or results are of one type and lie over the shards alike.
[[nodiscard]] bool look_alike(const PortInfo& a, const PortInfo& b);
/// The argument in whose memory a result may lie; -1: none.
[[nodiscard]] inline int donor_of(const Plan& plan, int output) {
  return plan.donors.empty() ? -1 : plan.donors[std::size_t(output)];
}
/// Whether a buffer of an argument and one of a result are one array where the caller gives the argument up.
[[nodiscard]] bool may_be_one(const Plan& plan, const Buffer& a, const Buffer& b);

/// Functions of the host application that its steps call, each once.
[[nodiscard]] std::vector<std::string> called_functions(const Plan& plan);

/// Extents of the axes of the mesh, and their product.
[[nodiscard]] Dims mesh_sizes(const Plan& plan);
[[nodiscard]] std::int64_t mesh_shards(const Plan& plan);

/// Which part of the program's arrays a shard of a job holds.
struct ShardPlace {
  int mesh_shard = 0;                 ///< number in the mesh
  int partition = 0, partitions = 1;  ///< of the placements: this block of so many
  int replica = 0, replicas = 1;      ///< of shards that hold the same
};
/// Shards of a job in order: the number in the mesh varies fastest, then the block of the placements.  Placements are in
/// as many blocks as there are shards for, or, where collectives of the mesh are within their loops, in as many as
/// divide them, in one where partitions decide how often; what is more are replicas that do the same.
[[nodiscard]] std::vector<ShardPlace> places_of_shards(const Plan& plan, int shards);
/// That of shard `shard`.
[[nodiscard]] ShardPlace place_of_shard(const Plan& plan, int shard, int shards);
/// The block of a port's array that a shard holds.
[[nodiscard]] ArrayBlock block_of(const Plan& plan, const PortInfo& port, const ShardPlace& place);
/// Its type on every shard of the mesh, of which placements cut dimension 0 again.
[[nodiscard]] Type local_type(const Plan& plan, const PortInfo& port);
/// Bytes for constants and temporaries on that shard of `shards` which has the most of them.
[[nodiscard]] std::int64_t temporary_bytes(const Plan& plan, int shards);
/// Which number of devices, in words: "1, 2, 3, 6 or a multiple of 6".
[[nodiscard]] std::string fitting_devices(std::int64_t mesh_shards);

}  // namespace partita
