#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads documents of any kind, detected by their fields unless `as` names it: log lines,
/// entries of a profile or of $queryStats, commands and so on.
class document_reader {
 public:
  document_reader(std::optional<source_kind> as, observer& to);
  ~document_reader();

  /// Reads a JSON document; input_lines::padding bytes after it must be readable. Log lines may
  /// be wrapped (wrapped_lines). If the document is a reply that contains documents (`inprog`
  /// of currentOp, a cursor's first batch), reads the contained ones.
  void read(std::string_view json);

  /// Reads a BSON document.
  void read(wire::document_view document);

  /// Ends the input.
  void finish();

  /// The minimum duration of the logged commands, for logs and profiles only; see
  /// slow_operations::threshold().
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// The kind of the documents, by the first whose kind could be detected; for logs and
  /// profiles, slow_operations::kind().
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
