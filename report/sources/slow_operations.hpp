#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Reads operations in the format of mongos and mongod, one JSON object per line: "Slow query"
/// lines of the log (4.4 and newer), documents of system.profile, and of $currentOp.
///
/// mongos logs `nShards` for most commands, which is the real number. It doesn't log statements
/// sent as a document sequence, as all drivers send them; such a command is passed on without
/// them. A mongod logs each statement separately, as {q, u, multi}, and then the command
/// without statements, which is skipped. A truncated command is always skipped: its filter may
/// look empty.
///
/// A router's request to a shard is a shard request (shardVersion, databaseVersion, fromMongos,
/// the `mongos` in `$client`). The log lines of a mongod's statements lack these fields, so the
/// first command in the log decides for all of them.
class slow_operations {
 public:
  slow_operations();
  ~slow_operations();

  /// Reads one line; `padding` bytes after it must be readable (input_lines).
  void read(std::string_view line, observer& to);

  /// Ends the input.
  void finish(observer& to);

  /// The server's log threshold (slowms, 100 by default), if every operation was at least that
  /// slow; otherwise nothing.
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// mongos_log, mongod_log or profile, once known from the lines; otherwise unknown.
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
