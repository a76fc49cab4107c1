#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/limits.hpp"

namespace scattergate::wire {

/// Limits the CPU time for one message: for reading it, judging it (predicting which shards
/// mongos asks), and computing its query shape. All loops over received bytes spend from this
/// budget, so the cost of a message is limited by its size. A unit is about a nanosecond.
/// Thread-safety: one thread at a time.
///
/// The budget runs out in two steps. Once is_low() is true, code skips the work that only
/// makes a judgement more precise, so that the rest of the message can still be read. Once
/// is_spent() is true, loops stop.
///
///     for (element field; work.spend(field_units) && reader.next(field);) ...
class work_budget {
 public:
  /// The largest budget of any message.
  constexpr work_budget() noexcept : work_budget(limits::most_work) {}

  /// REQUIRES: `units` is at most limits::most_work.
  constexpr explicit work_budget(std::int64_t units) noexcept
      : left_(units), limit_(units), reserve_(units / 8) {}

  /// The budget of a message: grows with the message's size, up to limits::most_work. `bytes`:
  /// the decompressed size. `wire_bytes`: the size as sent. It also limits the budget, so that
  /// a small compressed message can't cause the work of a large one.
  [[nodiscard]] static constexpr work_budget for_message(std::size_t bytes,
                                                         std::size_t wire_bytes) noexcept {
    const std::size_t counted = std::min(
        {bytes, wire_bytes * limits::budgeted_unpack_ratio, limits::max_message_bytes});
    return work_budget{std::min(
        limits::most_work,
        limits::least_work + limits::work_per_byte * static_cast<std::int64_t>(counted))};
  }
  /// The budget of a message that was sent uncompressed. `bytes`: the message's size.
  [[nodiscard]] static constexpr work_budget for_message(std::size_t bytes) noexcept {
    return for_message(bytes, bytes);
  }

  /// Spends `units`. Returns false if more than the budget is spent. REQUIRES: `units` is
  /// proportional to the size of data in memory, so that the counter can't overflow.
  [[nodiscard]] constexpr bool spend(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
    return left_ >= 0;
  }

  /// Spends `units` without a check; a later spend() or is_spent() detects that the budget is
  /// exceeded.
  constexpr void charge(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
  }

  /// Spends the rest of the budget: from now on, is_spent() is true.
  constexpr void use_up() noexcept { left_ = std::min<std::int64_t>(left_, -1); }

  /// Whether less than an eighth of the budget is left.
  [[nodiscard]] constexpr bool is_low() const noexcept { return left_ < reserve_; }
  /// Whether more than the budget was spent.
  [[nodiscard]] constexpr bool is_spent() const noexcept { return left_ < 0; }

  /// The units spent so far; may exceed limit() by the cost of the last step.
  [[nodiscard]] constexpr std::int64_t spent() const noexcept { return limit_ - left_; }
  /// The whole budget, in units.
  [[nodiscard]] constexpr std::int64_t limit() const noexcept { return limit_; }

 private:
  std::int64_t left_;
  std::int64_t limit_;
  std::int64_t reserve_;
};

/// The cost of reading a field, in units of work_budget.
inline constexpr std::size_t field_units = 9;

/// A document_reader that also charges a work_budget (the CPU time for one message) for each
/// field, and stops when the budget is spent.
class metered_reader {
 public:
  /// REQUIRES: `work` outlives the reader.
  metered_reader(document_view document, work_budget& work) noexcept
      : metered_reader(document_reader{document}, work) {}
  metered_reader(document_reader reader, work_budget& work) noexcept
      : reader_(reader), work_(&work) {}

  /// Reads the next field. Returns false at the end, at a corrupt field, and when the budget
  /// is spent.
  [[nodiscard]] bool next(element& field) noexcept {
    if (!work_->spend(field_units) || !reader_.next(field)) return false;
    if (field.key().size() > short_name) work_->charge(field.key().size() / 4);
    return true;
  }

  /// Whether next() returned false because of a corrupt field.
  [[nodiscard]] bool is_corrupt() const noexcept { return reader_.is_corrupt(); }

  /// A reader of the remaining fields.
  [[nodiscard]] const document_reader& rest() const noexcept { return reader_; }

 private:
  static constexpr std::size_t short_name = 64;  // field_units include the cost of names up to
                                                 // this size

  document_reader reader_;
  work_budget* work_;
};

/// The first field named `name`. Charges `work` for each field that is read. std::nullopt if
/// there is no such field, if a corrupt field precedes it, or if the budget is spent.
[[nodiscard]] inline std::optional<element> find_field(document_view document,
                                                       std::string_view name,
                                                       work_budget& work) noexcept {
  metered_reader reader{document, work};
  for (element field; reader.next(field);) {
    if (field.key() == name) return field;
  }
  return std::nullopt;
}
/// The number of fields of a document. Charges `work` for each field. std::nullopt if a field
/// is corrupt. If the budget runs out, the number is too low; check work.is_spent().
[[nodiscard]] inline std::optional<std::size_t> count_fields(document_view document,
                                                             work_budget& work) noexcept {
  metered_reader reader{document, work};
  std::size_t count = 0;
  for (element field; reader.next(field);) ++count;
  if (reader.is_corrupt()) return std::nullopt;
  return count;
}

/// Limits the depth of a recursion.
class depth_guard {
 public:
  explicit depth_guard(std::uint32_t levels = limits::inspect_depth) noexcept
      : levels_(levels) {}

  /// Enters one level. Returns false at the limit. After true, call leave() at the level's
  /// end.
  [[nodiscard]] bool enter() noexcept { return levels_ != 0 && levels_-- != 0; }
  /// Leaves a level that enter() has entered.
  void leave() noexcept { ++levels_; }

 private:
  std::uint32_t levels_;
};

}  // namespace scattergate::wire
