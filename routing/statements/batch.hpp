#pragma once

#include <string_view>

#include "wire/command.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {

/// Whether a command has a batch in `field`, even an empty one.
[[nodiscard]] bool has_batch(const wire::command& command, std::string_view field,
                             wire::work_budget& work) noexcept;

/// Iterates over the documents of a batch, in an array of the body or in a document sequence.
/// Thread-safety: one thread at a time.
class batch_reader {
 public:
  batch_reader(const wire::command& command, std::string_view field,
               wire::work_budget& work) noexcept;

  /// Reads the next document; false at the end, at a broken document, and when `work` is spent.
  /// If there are more documents than mongos accepts, spends all of `work`.
  [[nodiscard]] bool next(wire::document_view& document) noexcept;

  [[nodiscard]] bool is_corrupt() const noexcept { return corrupt_; }

 private:
  wire::work_budget& work_;
  wire::metered_reader array_;
  wire::sequence_reader sequence_;
  std::size_t documents_ = 0;
  bool is_sequence_ = false;
  bool corrupt_ = false;
};

}  // namespace scattergate::routing
