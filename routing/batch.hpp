#pragma once

#include <string_view>

#include "wire/command.hpp"

namespace scattergate::routing {

/// What one more statement costs of the work, beside what is judged of it.
inline constexpr std::size_t statement_units = 8;

/// Walks the documents of a batch, which a client sends as an array in the body or as a
/// document sequence beside it.
/// Thread-safety: one thread.
class batch_reader {
 public:
  batch_reader(const wire::command& command, std::string_view field) noexcept;

  /// The next document; false at the end and where a broken one comes.
  [[nodiscard]] bool next(wire::document_view& document) noexcept;

  [[nodiscard]] bool is_corrupt() const noexcept { return corrupt_; }

 private:
  wire::document_reader array_;
  wire::sequence_reader sequence_;
  bool is_sequence_ = false;
  bool corrupt_ = false;
};

}  // namespace scattergate::routing
