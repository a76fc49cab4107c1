#include "routing/pipeline/redact_portion.hpp"

#include <algorithm>

#include "routing/bounds/match_operator.hpp"
#include "routing/pipeline/bson_block.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

/// Whether a path contains a number, which may be an array index. A $redact may shift array
/// members.
bool has_position(std::string_view path) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (!name.empty() && std::ranges::all_of(name, is_digit)) return true;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return false;
}

/// Whether an equality with the value compares the field as a whole, and doesn't match a
/// missing field.
bool is_plain(const element& value) noexcept {
  return !value.is_array() && !value.is_document() && value.type() != bson_type::null &&
         value.type() != bson_type::undefined;
}

/// Writes the safe part of a filter. Each function returns whether it has written anything.
class portion_writer {
 public:
  portion_writer(bson_block& to, safe_equality safe, wire::work_budget& work) noexcept
      : to_(to), safe_(safe), work_(work) {}

  bool part(const element& part, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return false;
    if (part.key() == "$and" || part.key() == "$or") {
      return clauses(part, part.key() == "$or", depth);
    }
    if (part.key().starts_with('$') || has_position(part.key())) return false;
    if (part.is_document()) return inside(part, depth, &portion_writer::predicate);
    return is_safe_value(part) && whole(part);
  }

 private:
  /// Whether {a: value} can be copied. A regular expression always can, because it isn't an
  /// equality.
  [[nodiscard]] bool is_safe_value(const element& value) const noexcept {
    return is_plain(value) &&
           (safe_ != safe_equality::none || value.type() == bson_type::regex);
  }

  using writing = bool (portion_writer::*)(const element&, std::uint32_t) noexcept;

  /// Writes the field unchanged.
  bool whole(const element& field) noexcept {
    to_.add(field.key(), field);
    return true;
  }

  /// Writes the safe part of each field of `outer`, by `write`.
  bool inside(const element& outer, std::uint32_t depth, writing write) noexcept {
    const std::size_t before = to_.size_bytes();
    const std::size_t opened = to_.open(outer.type(), outer.key());
    wire::metered_reader reader{outer.as_container().value_or(document_view{}), work_};
    bool any = false;
    for (element field; reader.next(field);) any |= (this->*write)(field, depth + 1);
    to_.close(opened);
    if (!any) to_.take_back(before);
    return any;
  }

  /// Writes the safe parts of the clauses of an $and or $or. `all`: an $or, which is kept only
  /// if each clause has a safe part.
  bool clauses(const element& list, bool all, std::uint32_t depth) noexcept {
    const std::size_t before = to_.size_bytes();
    const std::size_t opened = to_.open(bson_type::array, list.key());
    wire::metered_reader reader{list.as_array().value_or(document_view{}), work_};
    bool any = false;
    bool sound = true;
    for (element clause; sound && reader.next(clause);) {
      const bool is_left = clause.is_document() && inside(clause, depth, &portion_writer::part);
      any |= is_left;
      sound = is_left || !all;
    }
    to_.close(opened);
    if (!any || !sound) to_.take_back(before);
    return any && sound;
  }

  /// Writes an operator on a field if it is safe. A member of a literal document isn't.
  bool predicate(const element& predicate, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return false;
    switch (field_operator_of(predicate.key())) {
      case field_operator::type:
      case field_operator::regex:
      case field_operator::options:
      case field_operator::mod:
        return whole(predicate);
      case field_operator::neutral:
        return predicate.key().starts_with("$bits") && whole(predicate);
      case field_operator::eq:
        return safe_ == safe_equality::any && is_plain(predicate) && whole(predicate);
      case field_operator::gt:
      case field_operator::gte:
      case field_operator::lt:
      case field_operator::lte:
        return is_plain(predicate) && whole(predicate);
      case field_operator::in:
        return are_plain(predicate) && whole(predicate);
      case field_operator::all:  // mongos rewrites its members to equalities
        return safe_ != safe_equality::none && predicate.is_array() &&
               inside(predicate, depth, &portion_writer::member);
      case field_operator::elem_match:
        return predicate.is_document() && inside(predicate, depth, inner_of(predicate));
      default:
        return false;
    }
  }

  bool member(const element& value, std::uint32_t /*depth*/) noexcept {
    return is_plain(value) && whole(value);
  }

  [[nodiscard]] bool are_plain(const element& list) noexcept {
    const auto members = list.as_array();
    if (!members) return false;
    wire::metered_reader reader{*members, work_};
    for (element one; reader.next(one);) {
      if (!is_plain(one)) return false;
    }
    return true;
  }

  /// The function for the contents of an $elemMatch: a filter, or operators.
  [[nodiscard]] static writing inner_of(const element& condition) noexcept {
    element first;
    const auto inner = condition.as_document();
    const bool is_filter =
        inner && wire::document_reader{*inner}.next(first) && !first.key().starts_with('$');
    return is_filter ? &portion_writer::part : &portion_writer::predicate;
  }

  bson_block& to_;
  const safe_equality safe_;
  wire::work_budget& work_;
};

}  // namespace

std::optional<element> redact_portion(const element& part, safe_equality safe,
                                      scratch& memory) noexcept {
  return field_written(memory, [&](bson_block& to) {
    (void)portion_writer{to, safe, memory.work()}.part(part, 0);
  });
}

}  // namespace scattergate::routing
