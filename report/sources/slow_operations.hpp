#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Reads operations as a mongos or mongod tells of them, one JSON object a line: "Slow query"
/// lines of its log (4.4 and newer), documents of system.profile, and of $currentOp.
///
/// mongos says `nShards` for most commands, which is the truth. Statements that came as a
/// document sequence, as every driver sends them, stand in no line of mongos: such a command is
/// told as it stands, without them. A mongod logs each statement of its own, as {q, u, multi},
/// and then the command without them, which is left out. A command that was cut is never told:
/// its filter may look empty.
class slow_operations {
 public:
  slow_operations();
  ~slow_operations();

  /// One line; `padding` bytes behind it may be read (input_lines).
  void read(std::string_view line, observer& to);

  /// mongos_log, mongod_log or profile, as far as the lines have told; else unknown.
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
