#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Reads lines of an audit log (docs/audit.md); each becomes a row with its verdict.
class audit_lines {
 public:
  audit_lines();
  ~audit_lines();

  /// Reads one line; `padding` bytes after it must be readable (input_lines).
  void read(std::string_view line, observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
