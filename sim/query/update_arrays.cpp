#include <algorithm>
#include <array>
#include <utility>

#include "sim/query/matcher.hpp"
#include "sim/query/sort.hpp"
#include "sim/query/update_operators.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/function_table.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

array& members_of(const char* name, value& target, bool exists) {
  if (!exists) target = array{};
  auto* members = target.as<array>();
  if (members == nullptr) {
    throw command_failure(errc::bad_value, std::string{"Cannot apply "} + name +
                                               " to a value that is not an array");
  }
  return *members;
}

/// The values to add: those of `$each`, or the operand itself.
array additions_of(const value& operand, const document*& modifiers) {
  const auto* content = operand.as<document>();
  const value* each = content == nullptr ? nullptr : content->find("$each");
  if (each == nullptr) return {operand};
  modifiers = content;
  const auto* several = each->as<array>();
  if (several == nullptr) {
    throw command_failure(errc::bad_value, "The argument to $each must be an array");
  }
  return *several;
}

void sort_members(array& members, const value& by) {
  if (by.is_number()) {
    const bool ascending = by.as_int64() >= 0;
    std::stable_sort(members.begin(), members.end(),
                     [ascending](const value& a, const value& b) {
                       return ascending ? compare(a, b) < 0 : compare(b, a) < 0;
                     });
    return;
  }
  const auto* specification = by.as<document>();
  if (specification == nullptr) {
    throw command_failure(errc::bad_value, "$sort is 1, -1 or a document");
  }
  std::vector<document_ptr> wrapped;
  document prefixed;
  for (const field& each : *specification) prefixed.append("v." + each.name, each.content);
  for (value& each : members) {
    wrapped.push_back(std::make_shared<document>(document{{"v", std::move(each)}}));
  }
  sort_order{prefixed}.apply(wrapped);
  members.clear();
  for (const document_ptr& each : wrapped) members.push_back(each->front().content);
}

void slice_members(array& members, std::int64_t count) {
  const auto size = static_cast<std::int64_t>(members.size());
  if (count >= size || count <= -size) return;
  if (count >= 0) {
    members.erase(members.begin() + count, members.end());
  } else {
    members.erase(members.begin(), members.end() + count);
  }
}

bool op_push(value& target, bool exists, const value& operand, const update_context&) {
  array& members = members_of("$push", target, exists);
  const document* modifiers = nullptr;
  const array added = additions_of(operand, modifiers);
  auto at = static_cast<std::int64_t>(members.size());
  if (modifiers != nullptr && modifiers->has("$position")) {
    const std::int64_t position = modifiers->find("$position")->as_int64();
    at = position < 0 ? std::max<std::int64_t>(0, at + position) : std::min(at, position);
  }
  members.insert(members.begin() + at, added.begin(), added.end());
  if (modifiers == nullptr) return true;
  if (const value* by = modifiers->find("$sort")) sort_members(members, *by);
  if (const value* count = modifiers->find("$slice")) slice_members(members, count->as_int64());
  return true;
}

bool op_add_to_set(value& target, bool exists, const value& operand, const update_context&) {
  array& members = members_of("$addToSet", target, exists);
  const document* modifiers = nullptr;
  for (const value& added : additions_of(operand, modifiers)) {
    const bool known = std::any_of(members.begin(), members.end(), [&added](const value& each) {
      return is_equal(each, added);
    });
    if (!known) members.push_back(added);
  }
  return true;
}

bool op_pull(value& target, bool exists, const value& operand, const update_context&) {
  if (!exists) return false;
  array& members = members_of("$pull", target, exists);
  const auto* filter = operand.as<document>();
  const bool on_values = filter == nullptr || is_operator_document(operand);
  const matcher match{on_values ? document{{"v", operand}} : *filter};
  std::erase_if(members, [&](const value& each) {
    if (on_values) return match.matches({{"v", each}});
    const auto* inner = each.as<document>();
    return inner != nullptr && match.matches(*inner);
  });
  return true;
}

bool op_pull_all(value& target, bool exists, const value& operand, const update_context&) {
  if (!exists) return false;
  array& members = members_of("$pullAll", target, exists);
  const auto* removed = operand.as<array>();
  if (removed == nullptr) throw command_failure(errc::bad_value, "$pullAll needs an array");
  std::erase_if(members, [removed](const value& each) {
    return std::any_of(removed->begin(), removed->end(),
                       [&each](const value& other) { return is_equal(each, other); });
  });
  return true;
}

bool op_pop(value& target, bool exists, const value& operand, const update_context&) {
  if (!exists) return false;
  array& members = members_of("$pop", target, exists);
  const std::int64_t side = operand.as_int64();
  if (!operand.is_number() || (side != 1 && side != -1)) {
    throw command_failure(errc::failed_to_parse, "$pop expects 1 or -1");
  }
  if (!members.empty()) members.erase(side == 1 ? members.end() - 1 : members.begin());
  return true;
}

constexpr auto array_operators = std::to_array<std::pair<std::string_view, update_function>>({
    {"$push", op_push},
    {"$addToSet", op_add_to_set},
    {"$pull", op_pull},
    {"$pullAll", op_pull_all},
    {"$pop", op_pop},
});

}  // namespace

update_function find_array_operator(std::string_view name) noexcept {
  return find_function(array_operators, name);
}

}  // namespace scattergate::sim
