// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The members of every struct of a plan, named once for reading and writing.
#pragma once

#include "partita/artifact/plan.hpp"
#include "runtime/artifact/json_archive.hpp"

namespace partita {

boost::json::value to_json(const HostExpr& e);
boost::json::value to_json(const BufferRef& ref);
boost::json::value to_json(const Type& type);
boost::json::value to_json(DType dtype);
boost::json::value to_json(BufferKind kind);
boost::json::value to_json(Combiner combiner);
boost::json::value to_json(GroupCall call);
boost::json::value to_json(WireFormat format);
boost::json::value to_json(const Step& step);

void from_json(const boost::json::value& value, HostExpr& e, const json::Path& path);
void from_json(const boost::json::value& value, BufferRef& ref, const json::Path& path);
void from_json(const boost::json::value& value, Type& type, const json::Path& path);
void from_json(const boost::json::value& value, DType& dtype, const json::Path& path);
void from_json(const boost::json::value& value, BufferKind& kind, const json::Path& path);
void from_json(const boost::json::value& value, Combiner& combiner, const json::Path& path);
void from_json(const boost::json::value& value, GroupCall& call, const json::Path& path);
void from_json(const boost::json::value& value, WireFormat& format, const json::Path& path);
void from_json(const boost::json::value& value, Step& step, const json::Path& path);

template <class A>
void fields(A& a, Ref<A, Placement> x) {
  a("name", x.name);
  a("size", x.size);
  a.optional("begin", x.begin_variable, -1);
  a.optional("end", x.end_variable, -1);
}

template <class A>
void fields(A& a, Ref<A, MeshAxis> x) {
  a("name", x.name);
  a("size", x.size);
}

template <class A>
void fields(A& a, Ref<A, Buffer> x) {
  a.optional("name", x.name, "");
  a("kind", x.kind);
  a.optional("index", x.index, 0);
  a("dtype", x.dtype);
  a("count", x.count);
  a.optional("offset", x.arena_offset, 0);
}

template <class A>
void fields(A& a, Ref<A, ScalarArg> x) {
  a("dtype", x.dtype);
  a("value", x.value);
}

/// What calls of routines have in common.
template <class A, class Call>
void call_fields(A& a, Call& x) {
  a("routine", x.call.routine);
  a.optional("options", x.call.options, std::vector<std::string>{});
  a("types", x.call.operands);
  a.optional("count", x.count, 1);
}

template <class A>
void fields(A& a, Ref<A, KernelCall> x) {
  call_fields(a, x);
}

template <class A>
void fields(A& a, Ref<A, Launch> x) {
  a("kernel", x.kernel);
  a("buffers", x.buffers);
  a("scalars", x.scalars);
  a.optional("calls", x.calls, std::vector<KernelCall>{});
  a("global", x.global);
  a.optional("local", x.local, (std::array<std::int64_t, 3>{0, 0, 0}));
}

template <class A>
void fields(A& a, Ref<A, Gemm> x) {
  a("dtype", x.dtype);
  a.optional("reads_bf16", x.reads_bf16, false);
  a.optional("transpose_a", x.transpose_a, false);
  a.optional("transpose_b", x.transpose_b, false);
  a("m", x.m);
  a("n", x.n);
  a("k", x.k);
  a.optional("alpha", x.alpha, 1.0);
  a.optional("beta", x.beta, 0.0);
  a("a", x.a);
  a("b", x.b);
  a("c", x.c);
  a("lda", x.lda);
  a("ldb", x.ldb);
  a("ldc", x.ldc);
  a.optional("batch", x.batch, HostExpr(1));
  a.optional("stride_a", x.stride_a, 0);
  a.optional("stride_b", x.stride_b, 0);
  a.optional("stride_c", x.stride_c, 0);
}

template <class A>
void fields(A& a, Ref<A, ConvolveWindow> x) {
  a("input", x.input);
  a("size", x.size);
  a.optional("stride", x.stride, 1);
  a.optional("dilation", x.dilation, 1);
  a.optional("low", x.low, 0);
  a.optional("high", x.high, 0);
}

template <class A>
void fields(A& a, Ref<A, Convolve> x) {
  a("batch", x.batch);
  a.optional("groups", x.groups, 1);
  a("inputs", x.inputs);
  a("outputs", x.outputs);
  a("window", x.window);
  a("source", x.source);
  a("weights", x.weights);
  a("result", x.result);
  a("weight_strides", x.weight_strides);
  a.optional("then", x.then, std::vector<Launch>{});
}

template <class A>
void fields(A& a, Ref<A, Copy> x) {
  a("from", x.from);
  a("to", x.to);
  a("count", x.count);
}

template <class A>
void fields(A& a, Ref<A, For> x) {
  a("variable", x.variable);
  a("begin", x.begin);
  a("end", x.end);
  a.optional("step", x.step, 1);
  a("body", x.body);
}

template <class A>
void fields(A& a, Ref<A, While> x) {
  a("condition", x.condition);
  a("predicate", x.predicate);
  a("body", x.body);
  a.optional("guarded", x.guarded, false);
}

template <class A>
void fields(A& a, Ref<A, Case> x) {
  a("index", x.index);
  a.optional("dtype", x.index_dtype, DType::i32);
  a("branches", x.branches);
}

template <class A>
void fields(A& a, Ref<A, Piece> x) {
  a("at", x.at);
  a("count", x.count);
}

template <class A>
void fields(A& a, Ref<A, AllReduceStart> x) {
  a("request", x.request);
  a.optional("axis", x.axis, "");
  a.optional("groups", x.groups, -1);
  a("combiner", x.combiner);
  a("dtype", x.dtype);
  a.optional("wire", x.wire.format, WireFormat::exact);
  a.optional("feeds_back", x.wire.feeds_back, false);
  a("pieces", x.pieces);
}

template <class A>
void fields(A& a, Ref<A, AllGatherStart> x) {
  a("request", x.request);
  a("axis", x.axis);
  a("dtype", x.dtype);
  a("elements_per_partition", x.elements_per_partition);
  a("from", x.from);
  a("to", x.to);
}

template <class A>
void fields(A& a, Ref<A, GroupStart> x) {
  a("request", x.request);
  a("call", x.call);
  a("groups", x.groups);
  a.optional("combiner", x.combiner, Combiner::sum);
  a("dtype", x.dtype);
  a("elements", x.elements);
  a("from", x.from);
  a("to", x.to);
}

template <class A>
void fields(A& a, Ref<A, CollectiveDone> x) {
  a("request", x.request);
}

template <class A>
void fields(A& a, Ref<A, Check> x) {
  a("condition", x.condition);
  a("message", x.message);
}

template <class A>
void fields(A& a, Ref<A, HostCall> x) {
  call_fields(a, x);
  a("operands", x.operands);
  a("results", x.results);
}

template <class A>
void fields(A& a, Ref<A, FunctionCall> x) {
  a("function", x.function);
  a.optional("once", x.once, false);
  a("operand_types", x.operand_types);
  a("result_types", x.result_types);
  a("operands", x.operands);
  a("results", x.results);
}

template <class A>
void fields(A& a, Ref<A, PortInfo> x) {
  a.optional("name", x.name, "");
  a("type", x.type);
  a.optional("placement", x.placement, -1);
  a.optional("axes", x.axes, std::vector<std::vector<int>>{});
  a.optional("donated", x.is_donated, false);
}

template <class A>
void fields(A& a, Ref<A, Plan> x) {
  a("inputs", x.inputs);
  a("outputs", x.outputs);
  a.optional("donors", x.donors, std::vector<int>{});
  a("placements", x.placements);
  a.optional("mesh", x.mesh, std::vector<MeshAxis>{});
  a.optional("mesh_variable", x.mesh_variable, -1);
  a.optional("groups", x.groups, std::vector<ShardLists>{});
  a("variables", x.variables);
  a("arena_bytes", x.arena_bytes);
  a("requests", x.requests);
  a("buffers", x.buffers);
  a("steps", x.steps);
}

}  // namespace partita
