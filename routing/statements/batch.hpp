#pragma once

#include <string_view>

#include "wire/command.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {

/// Whether a command has a batch in `field`, even an empty one.
[[nodiscard]] bool has_batch(const wire::command& command, std::string_view field,
                             wire::work_budget& work) noexcept;

/// Iterates over the documents of a batch, which a client sends as an array in the body or as a
/// document sequence.
class batch_reader {
 public:
  batch_reader(const wire::command& command, std::string_view field,
               wire::work_budget& work) noexcept;

  /// The next document; false at the end, at a broken document, and when `work` is spent. More
  /// documents than mongos accepts spend all of it.
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
