#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Reads lines of a proxy's audit log (docs/audit.md), each a row judged already.
class audit_lines {
 public:
  audit_lines();
  ~audit_lines();

  /// One line; `padding` bytes behind it may be read (input_lines).
  void read(std::string_view line, observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
