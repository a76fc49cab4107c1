#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Reads lines of an audit log (docs/audit.md). Passes each line to an observer as a row of a
/// digest (the table of shapes), with the line's verdict.
class audit_lines {
 public:
  audit_lines();
  ~audit_lines();

  /// Reads one line; `to` counts an unreadable or too long one as skipped. REQUIRES:
  /// input_lines::padding bytes after the line are readable.
  void read(std::string_view line, observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
