// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The C text of a program, divided into units that compilers work on side by side: how much they have to do, and how long they
// may think about it.  What is divided how follows from the program alone, not from the machine.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend-cpu/codegen/host_compiler.hpp"
#include "backend-cpu/codegen/step_functions.hpp"
#include "kernel/analysis/kernel_work.hpp"
#include "kernel/print/kernel_list.hpp"

namespace partita::cpu::codegen {

/// Before the name of a kernel that steps launch.
inline constexpr std::string_view exported_prefix = "void partita_";
/// A kernel's comment and text, named with the prefix.
[[nodiscard]] std::string definition(const kernel::PrintedKernel& k, std::string_view prefix);

/// Kernels as printed, which the source outlives, and what a run does of them.
struct PrintedProgram {
  std::span<const kernel::PrintedKernel> kernels;
  const kernel::PlanWork& work;
};

class SourceUnits {
 public:
  /// `before` stands before all kernels; `launched` are those that steps launch, of which numbers beyond the printed ones are
  /// step functions.
  SourceUnits(std::string before, std::vector<StepFunction> functions,
              const std::set<int>& launched, const PrintedProgram& program);

  /// All as one text: for readers, and for objects of one unit.
  [[nodiscard]] std::string whole() const;
  [[nodiscard]] std::vector<ObjectUnit> units() const;

 private:
  /// Text that is compiled together: a kernel, or a step function with the kernels that it calls.
  struct Chunk {
    std::string text = {};                     ///< of a step function
    std::set<int> kernels = {};                ///< called by it, as local_NAME
    std::optional<int> kernel = std::nullopt;  ///< that this is, rather than a step function
    bool is_launched = false;                  ///< else called by step functions in other units
    double operations = 0;                     ///< in a run
    Effort effort = Effort::full;
    double weight = 0;  ///< characters, as many as take the compiler so long at full effort
  };

  void share_callees();
  void weigh();
  [[nodiscard]] std::vector<Chunk*> of_little(std::vector<Chunk*> from) const;
  void choose_efforts();
  bool take_effort(Effort effort, const std::vector<Chunk*>& chosen, std::size_t chunks);
  /// The chunk's text after definitions of what it calls, but for those in `defined`; `shared_as`: before the names of
  /// shared kernels.
  [[nodiscard]] std::string text_of(const Chunk& chunk, std::set<int>& defined,
                                    std::string_view shared_as) const;
  [[nodiscard]] std::string callee(int kernel, std::string_view shared_as) const;

  std::string before_;
  PrintedProgram program_;
  std::vector<Chunk> chunks_;
  std::set<int> shared_;  ///< kernels of step functions that are chunks of their own
};

}  // namespace partita::cpu::codegen
