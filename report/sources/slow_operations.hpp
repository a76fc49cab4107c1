#pragma once

#include <chrono>
#include <memory>
#include <optional>
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
///
/// What a router sent to a shard is a shard request (shardVersion, databaseVersion, fromMongos,
/// the `mongos` in `$client`). A mongod's statements don't say: they are what the first command
/// that does, or doesn't, is.
class slow_operations {
 public:
  slow_operations();
  ~slow_operations();

  /// One line; `padding` bytes behind it may be read (input_lines).
  void read(std::string_view line, observer& to);

  /// Nothing more comes.
  void finish(observer& to);

  /// Every operation took so long at least, where that is the server's own threshold for its
  /// log (slowms, 100 by default); nothing where one was faster.
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// mongos_log, mongod_log or profile, as far as the lines have told; else unknown.
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
