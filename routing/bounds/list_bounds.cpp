#include "routing/bounds/list_bounds.hpp"

#include <algorithm>

#include "routing/bounds/document_path.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;

/// What a $in is made of, from one pass over it.
struct list_facts {
  std::size_t intervals = 0;  ///< that its members may give
  std::size_t longest = 0;    ///< bytes of the longest value
  bool has_collatable = false;
  bool has_regex = false;
  bool has_array = false;
};

list_facts survey(wire::document_view members, wire::work_budget& work) noexcept {
  list_facts facts;
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member);) {
    const bool is_regex = member.type() == bson_type::regex;
    const bool is_twofold = is_regex || member.type() == bson_type::null || member.is_array();
    facts.intervals += is_twofold ? 2 : 1;
    facts.longest = std::max(facts.longest, member.value().size());
    facts.has_collatable |= is_collatable(member.type());
    facts.has_regex |= is_regex;
    facts.has_array |= member.is_array();
  }
  return facts;
}

field_bounds bounds_of(const element& member, const field_rules& rules,
                       scratch& memory) noexcept {
  if (member.type() != bson_type::regex) return equal_to(member, rules, memory);
  const auto regex = regex_of(member);
  if (!regex) return field_bounds::nothing_known(reason::not_indexable);
  return matching_regex(*regex, rules, memory);
}

/// Collects the members' intervals; false where the scratch ran out.
bool collect(wire::document_view members, const field_rules& rules, scratch& memory,
             std::span<interval> room, std::size_t& used) noexcept {
  wire::metered_reader reader{members, memory.work()};
  for (element member; reader.next(member);) {
    const bool is_plain = !member.is_array() && member.type() != bson_type::null &&
                          member.type() != bson_type::regex;
    if (is_plain) {
      const bytes_view point = encode_for(member, rules.hashed, memory);
      if (point.empty()) return false;
      room[used++] = interval{point, point};
      continue;
    }
    const field_bounds found = bounds_of(member, rules, memory);
    if (found.set.is_full()) return false;
    for (const interval& one : found.set.intervals()) room[used++] = one;
  }
  return !memory.work().is_spent();
}

/// An end of a range, kept apart from the scratch that comes and goes.
class kept_end {
 public:
  explicit kept_end(std::span<std::byte> room) noexcept : room_(room) {}
  [[nodiscard]] bytes_view view() const noexcept { return room_.first(size_); }

  /// False where there is no room for `value`.
  bool keep(bytes_view value) noexcept {
    if (value.size() > room_.size()) return false;
    std::ranges::copy(value, room_.begin());
    size_ = value.size();
    return true;
  }

 private:
  std::span<std::byte> room_;
  std::size_t size_ = 0;
};

/// The range over all members, in room for three encodings however many they are.
interval_set hull(wire::document_view members, std::size_t longest, const field_rules& rules,
                  scratch& memory) noexcept {
  const std::size_t room = 64 + 4 * longest;  // no encoding grows more than fourfold
  kept_end low{memory.take<std::byte>(room)};
  kept_end high{memory.take<std::byte>(room)};
  const std::size_t mark = memory.mark();
  wire::metered_reader reader{members, memory.work()};
  for (element member; reader.next(member); memory.rewind(mark)) {
    const field_bounds found = bounds_of(member, rules, memory);
    if (found.set.is_empty() || found.set.is_full()) return interval_set::full();
    const bytes_view first = found.set.intervals().front().low;
    const bytes_view last = found.set.intervals().back().high;
    const bool lowers = low.view().empty() || compare_encoded(first, low.view()) < 0;
    const bool raises = high.view().empty() || compare_encoded(last, high.view()) > 0;
    if (lowers && !low.keep(first)) return interval_set::full();
    if (raises && !high.keep(last)) return interval_set::full();
  }
  if (memory.work().is_spent()) return interval_set::full();
  return interval_set::of({low.view(), high.view()}, memory);
}

/// The part of "<id>:<n>" up to and with the colon; empty where the text isn't of that form.
std::string_view logical_shard_owner(std::string_view text) noexcept {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return {};
  const std::string_view number = text.substr(colon + 1);
  const bool all_digits =
      std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return all_digits ? text.substr(0, colon + 1) : std::string_view{};
}

}  // namespace

bool is_operator_document(const element& value) noexcept {
  const auto inner = value.as_subdocument();
  if (!inner) return false;
  wire::document_reader reader{*inner};
  element first;
  if (!reader.next(first) || !first.key().starts_with('$')) return false;
  return first.key() != "$ref" && first.key() != "$id" && first.key() != "$db";
}

std::optional<element> only_member(wire::document_view members,
                                   wire::work_budget& work) noexcept {
  wire::metered_reader reader{members, work};
  element first;
  element second;
  if (!reader.next(first)) return std::nullopt;
  // A list that names one value twice is a list of one.
  while (reader.next(second)) {
    if (!same_value(first, second)) return std::nullopt;
    work.charge(second.value().size() / 16);
  }
  if (reader.is_corrupt() || work.is_spent()) return std::nullopt;
  return first;
}

filter_fault fault_of_list(wire::document_view members, wire::work_budget& work) noexcept {
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member);) {
    if (member.type() == bson_type::undefined || is_operator_document(member)) {
      return filter_fault::refused;
    }
  }
  return reader.is_corrupt() ? filter_fault::unreadable : filter_fault::none;
}

field_bounds one_of(wire::document_view members, const field_rules& rules,
                    scratch& memory) noexcept {
  const list_facts facts = survey(members, memory.work());
  if (!rules.simple_collation && facts.has_collatable) {
    return field_bounds::nothing_known(reason::collation);
  }
  if (rules.hashed && (facts.has_regex || facts.has_array)) {
    return field_bounds::nothing_known(reason::range_on_hashed);
  }
  if (facts.intervals == 0) return {interval_set{}, reason::none, true, false};
  field_bounds found;
  found.invertible = !facts.has_regex && !facts.has_array;
  const std::size_t mark = memory.mark();
  const auto room = memory.take<interval>(facts.intervals);
  std::size_t used = 0;
  if (!room.empty() && collect(members, rules, memory, room, used)) {
    found.set = interval_set::of_many(room.first(used), memory);
    return found;
  }
  memory.rewind(mark);
  found.set = hull(members, facts.longest, rules, memory);
  found.invertible = false;  // the complement of a wider set would be too narrow
  return found;
}

bool are_logical_shards(wire::document_view members, wire::work_budget& work) noexcept {
  std::string_view owner;
  std::size_t count = 0;
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member); ++count) {
    if (!member.is_string()) return false;
    const std::string_view here = logical_shard_owner(member.as_string());
    work.charge(member.value().size() / 2);
    if (here.empty() || (count > 0 && here != owner)) return false;
    owner = here;
  }
  return count > 1;
}

}  // namespace scattergate::routing
