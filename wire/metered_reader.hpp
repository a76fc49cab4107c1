#pragma once

#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::wire {

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
