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
/// mongos logs `nShards`, the number of asked shards, for most commands. It doesn't log a write
/// batch's statements, which drivers send as a document sequence: the batch is passed on
/// without them. A mongod logs each statement separately, as {q, u, multi}, and then the batch
/// without statements, which is skipped. A truncated command is always skipped, because its
/// filter may look empty.
///
/// A request of a router to a shard is passed on as a shard request. It has shardVersion,
/// databaseVersion, fromMongos, or a `mongos` in its `$client`. A mongod's statements lack
/// these fields in the log: they are shard requests if the log's first command is one.
class slow_operations {
 public:
  slow_operations();
  ~slow_operations();

  /// Reads one line and passes its command to `to`. REQUIRES: input_lines::padding bytes after
  /// the line are readable.
  void read(std::string_view line, observer& to);

  /// Ends the input. `to` receives the operations that waited for further lines.
  void finish(observer& to);

  /// 100 ms, the server's default log threshold (slowms), if every operation took at least
  /// that long. std::nullopt if one was faster, or if no duration is known.
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// The kind, by the lines read so far: mongos_log, mongod_log or profile; unknown if no line
  /// decided it.
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
