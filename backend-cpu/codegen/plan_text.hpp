// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Steps of a plan as C: loops, branches, copies, calls of kernels and arithmetic on host scalars.
// Where buffers lie, and what else a step may be, is said by who derives from it.
#pragma once

#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"

namespace partita::cpu::codegen {

/// C text of a number.
[[nodiscard]] std::string c_number(std::int64_t n);

/// Functions that the text of steps calls: `least` and `most`.
[[nodiscard]] std::string_view plan_text_support();

/// Variables of the plan are `x0`, `x1`, … of type i64.
class PlanText {
 public:
  explicit PlanText(const Artifact& artifact) : artifact_(artifact), plan_(artifact.plan) {}
  virtual ~PlanText() = default;
  PlanText(const PlanText&) = delete;
  PlanText& operator=(const PlanText&) = delete;

 protected:
  /// The address of a buffer's first element, an expression of type `char*`.
  [[nodiscard]] virtual std::string base(int buffer) const = 0;
  /// The call of a kernel on `items` items, which are at least one, with arrays b, o and s.
  virtual void call(const std::string& kernel) = 0;
  virtual void step(const Gemm& x) = 0;
  virtual void step(const Convolve& x) = 0;
  virtual void step(const AllReduceStart& x) = 0;
  virtual void step(const AllGatherStart& x) = 0;
  virtual void step(const GroupStart& x) = 0;
  virtual void step(const CollectiveDone& x) = 0;
  virtual void step(const Check& x) = 0;
  virtual void step(const HostCall& x) = 0;
  virtual void step(const FunctionCall& x) = 0;

  void steps(const Steps& list);
  void copy(const BufferRef& from, const BufferRef& to, const HostExpr& count);
  [[nodiscard]] std::string value(const HostExpr& e) const;
  /// The address of an element.
  [[nodiscard]] std::string address(const BufferRef& ref) const;
  [[nodiscard]] std::string flag(const BufferRef& ref) const;
  void line(const std::string& text);
  [[nodiscard]] const std::string& lines() const { return out_; }

  const Artifact& artifact_;
  const Plan& plan_;
  int depth_ = 1;

 private:
  void step(const Launch& x);
  void step(const Copy& x);
  void step(const For& x);
  void step(const While& x);
  void step(const Case& x);
  void nested(const std::string& head, const Steps& body, const std::string& tail);

  std::string out_;
  int next_ = 0;
};

}  // namespace partita::cpu::codegen
