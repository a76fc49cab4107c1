#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

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

  /// Ends the input: passes on or skips operations that were waiting for further lines.
  void finish();

  /// For logs and profiles: the result of slow_operations::threshold(), the log threshold if
  /// all logged operations were slow. std::nullopt for other documents.
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// The kind of the first document whose kind could be detected; unknown if there was none.
  /// For logs and profiles, the result of slow_operations::kind().
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
