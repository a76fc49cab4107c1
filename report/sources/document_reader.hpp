#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads an entry of $queryStats (mongo: db/query/query_stats/README.md): the sums of all
/// commands of one shape (a command without its values), driver and application. Makes up a
/// command of this shape, and passes it with the sums to `to`. `to` counts the entry as skipped
/// if it has no shape or no commands, or if no command can be made up. An entry is also skipped
/// if its names are hashed (transformIdentifiers).
void read_query_stats(wire::document_view entry, observer& to);

/// Reads documents of any kind: log lines, audit lines, entries of a profile or of
/// $queryStats, commands. Passes their commands to an observer.
class document_reader {
 public:
  /// `as`: the kind of all documents; std::nullopt: each document's fields decide. `to` must
  /// outlive this object.
  document_reader(std::optional<source_kind> as, observer& to);
  ~document_reader();

  /// Reads a JSON document. Log lines may be wrapped (see wrapped_lines). If `json` is a reply
  /// that contains documents (`inprog` of currentOp, a cursor's first batch), reads each
  /// contained document. REQUIRES: input_lines::padding bytes after `json` are readable.
  void read(std::string_view json);

  /// Reads a BSON document.
  void read(wire::document_view document);

  /// Ends the input. Passes on or skips the operations that were waiting for further lines.
  void finish();

  /// 100 ms, the server's default log threshold, if every operation of a log or profile took at
  /// least that long. std::nullopt if one was faster, if no duration is known, or for other
  /// documents.
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// The kind of the documents read so far: the constructor's `as`, or the detected kind. If
  /// the documents' kinds differ, one of them. `unknown` if none was detected.
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
