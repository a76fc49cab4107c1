#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "report/sources/observation.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Reads documents, each as what its fields say that it is unless `as` does: lines of a log,
/// entries of a profile or of $queryStats, commands, ...
class told_documents {
 public:
  told_documents(std::optional<source_kind> as, observer& to);
  ~told_documents();

  /// One as JSON; input_lines::padding bytes behind it may be read. A line of a log may be
  /// wrapped (wrapped_lines). A reply with documents in
  /// it (`inprog` of currentOp, the first batch of a cursor) is those.
  void read(std::string_view json);

  /// One as BSON.
  void read(wire::document_view document);

  /// Nothing more comes.
  void finish();

  /// As slow_operations::threshold(), of a log or profile alone.
  [[nodiscard]] std::optional<std::chrono::milliseconds> threshold() const noexcept;

  /// What they were: the first that could be told apart, and of logs whose.
  [[nodiscard]] source_kind kind() const noexcept;

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
