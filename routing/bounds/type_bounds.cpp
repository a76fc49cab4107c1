#include "routing/bounds/type_bounds.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "routing/bounds/argument_types.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;

struct type_alias {
  std::string_view name;
  std::int64_t code;
  canonical_type type;
};

/// MongoDB's names and numbers of BSON types (MongoDB's manual, "$type").
constexpr auto aliases = [] {
  using enum canonical_type;
  return std::to_array<type_alias>({
      {"double", 1, number},
      {"string", 2, string},
      {"object", 3, object},
      {"array", 4, array},
      {"binData", 5, binary},
      {"undefined", 6, undefined},
      {"objectId", 7, object_id},
      {"bool", 8, boolean},
      {"date", 9, date},
      {"null", 10, null},
      {"regex", 11, regex},
      {"dbPointer", 12, db_pointer},
      {"javascript", 13, code},
      {"symbol", 14, string},
      {"javascriptWithScope", 15, code_with_scope},
      {"int", 16, number},
      {"timestamp", 17, timestamp},
      {"long", 18, number},
      {"decimal", 19, number},
      {"maxKey", 127, max_key},
      {"minKey", -1, min_key},
      {"number", -2, number},  // only as a name
  });
}();
constexpr std::int64_t name_only = -2;

/// The cost of looking up a type, in units of work_budget.
constexpr std::size_t alias_units = 60;

const type_alias* find_alias(const element& type) noexcept {
  if (type.is_string()) {
    for (const type_alias& alias : aliases) {
      if (alias.name == type.as_string()) return &alias;
    }
    return nullptr;
  }
  const auto code = integer_of(argument::type_code, type);
  for (const type_alias& alias : aliases) {
    if (code && *code != name_only && alias.code == *code) return &alias;
  }
  return nullptr;
}

/// Collects the ranges of the types that a $type names.
struct type_collector {
  std::array<interval, aliases.size()> brackets;
  std::size_t count = 0;
  bool has_array = false;

  /// False if MongoDB has no such type.
  bool add(const element& named) noexcept {
    const type_alias* alias = find_alias(named);
    if (alias == nullptr) return false;
    has_array |= alias->type == canonical_type::array;
    for (std::size_t i = 0; i < count; ++i) {
      if (brackets[i].low.data() == encoded_least_of(alias->type).data()) return true;
    }
    brackets[count++] =
        interval{encoded_least_of(alias->type), encoded_greatest_of(alias->type), true,
                 is_greatest_within(alias->type)};
    return true;
  }
};

/// Reads the operand of $type; returns its fault.
filter_fault collect_types(const element& types, type_collector& to,
                           wire::work_budget& work) noexcept {
  const auto list = types.as_array();
  if (!list) return to.add(types) ? filter_fault::none : filter_fault::refused;
  wire::metered_reader reader{*list, work};
  for (element one; reader.next(one);) {
    work.charge(alias_units);
    if (!to.add(one)) return filter_fault::refused;
  }
  if (reader.is_corrupt()) return filter_fault::unreadable;
  return to.count > 0 ? filter_fault::none : filter_fault::refused;
}

}  // namespace

filter_fault fault_of_type(const element& types, wire::work_budget& work) noexcept {
  type_collector found;
  return collect_types(types, found, work);
}

field_bounds of_type(const element& types, const field_rules& rules, scratch& memory) noexcept {
  if (rules.hashed) return field_bounds::nothing_known(reason::range_on_hashed);
  type_collector found;
  (void)collect_types(types, found, memory.work());
  // The index has an array's members instead of the array, so all types are possible.
  if (found.has_array) return {interval_set::full(), reason::not_indexable, false, false};
  const auto room = memory.allocate<interval>(found.count);
  if (room.empty()) return field_bounds::nothing_known(reason::not_indexable);
  std::ranges::copy(std::span{found.brackets}.first(found.count), room.begin());
  return {interval_set::of_many(room, memory), reason::none, false, false};
}

}  // namespace scattergate::routing
