#include "routing/bounds/in_bounds.hpp"

#include <algorithm>

#include "routing/bounds/filter_parts.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;

/// Facts about the members of an $in, from one pass over them.
struct list_facts {
  std::size_t intervals = 0;  ///< the maximum number of intervals for all members
  std::size_t longest = 0;    ///< the size of the largest member, in bytes
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

/// Appends the members' intervals to `room`; false if memory or work runs out.
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

/// One end of a range, copied to memory that isn't freed while the members are read.
class kept_end {
 public:
  explicit kept_end(std::span<std::byte> room) noexcept : room_(room) {}
  [[nodiscard]] bytes_view view() const noexcept { return room_.first(size_); }

  /// False if `value` doesn't fit.
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

/// The range from the least to the greatest member. Needs memory for only three encodings,
/// however many members there are.
interval_set hull(wire::document_view members, std::size_t longest, const field_rules& rules,
                  scratch& memory) noexcept {
  const std::size_t room = 64 + 4 * longest;  // encoding grows a value at most fourfold
  kept_end low{memory.allocate<std::byte>(room)};
  kept_end high{memory.allocate<std::byte>(room)};
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

}  // namespace

filter_fault fault_of_list(wire::document_view members, server_version version,
                           wire::work_budget& work) noexcept {
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member);) {
    if (member.type() == bson_type::undefined || is_operator_document(member)) {
      return filter_fault::refused;
    }
    const auto regex = member.type() == bson_type::regex ? regex_of(member) : std::nullopt;
    const filter_fault fault = regex ? fault_of(*regex, version) : filter_fault::none;
    if (fault != filter_fault::none) return fault;
  }
  return reader.is_corrupt() ? filter_fault::unreadable : filter_fault::none;
}

field_bounds one_of(wire::document_view members, const field_rules& rules,
                    scratch& memory) noexcept {
  const list_facts facts = survey(members, memory.work());
  if (!rules.simple_collation && facts.has_collatable) {
    return field_bounds::nothing_known(reason::collation);
  }
  if (rules.hashed && facts.has_regex) {
    return field_bounds::nothing_known(reason::range_on_hashed);
  }
  if (facts.intervals == 0) return {interval_set{}, reason::none, true, false};
  field_bounds found;
  found.invertible = !facts.has_regex && !facts.has_array;
  const std::size_t mark = memory.mark();
  const auto room = memory.allocate<interval>(facts.intervals);
  std::size_t used = 0;
  if (!room.empty() && collect(members, rules, memory, room, used)) {
    found.set = interval_set::of_many(room.first(used), memory);
    return found;
  }
  memory.rewind(mark);
  found.set = hull(members, facts.longest, rules, memory);
  found.invertible = false;  // the complement of a set that is too wide would be too narrow
  return found;
}

}  // namespace scattergate::routing
