#pragma once

#include <string_view>

#include "wire/command.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Whether a command has a batch named `field`: an array in the body or a document sequence,
/// with or without items.
[[nodiscard]] bool has_batch(const wire::command& command, std::string_view field,
                             wire::work_budget& work) noexcept;

/// Whether the batch named `field` has more than one document.
[[nodiscard]] bool has_several(const wire::command& command, std::string_view field,
                               wire::work_budget& work) noexcept;

/// Reads the documents of a command's batch, which is an array in the body or a document
/// sequence. Thread-safety: one thread at a time.
class batch_reader {
 public:
  /// `field`: the name of the array or sequence, such as "updates". The command and `work`
  /// must outlive the reader.
  batch_reader(const wire::command& command, std::string_view field,
               wire::work_budget& work) noexcept;

  /// Reads the next document. False at the end, at a broken document (is_corrupt()), and when
  /// `work` is spent. If the batch has more documents than mongos accepts, spends all of
  /// `work`.
  [[nodiscard]] bool next(wire::document_view& document) noexcept;

  /// Whether reading stopped at a broken document, or at a member that isn't a document.
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
