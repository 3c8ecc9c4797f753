// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lines of a draft's text as they are printed, indented by two spaces for each block around them.
#pragma once

#include <string>
#include <utility>

#include "partita/base/error.hpp"

namespace partita::kernel::text {

class Lines {
 public:
  template <class... Parts>
  void line(const Parts&... parts) {
    out_.append(std::size_t(depth_) * 2, ' ');
    out_ += cat(parts...);
    out_ += '\n';
  }
  /// What `print` prints, one block deeper.
  template <class Print>
  void indented(const Print& print) {
    ++depth_;
    print();
    --depth_;
  }
  /// Text as it is.
  void append(const std::string& text) { out_ += text; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  int depth_ = 0;
  std::string out_;
};

}  // namespace partita::kernel::text
