#include "sim/query/update.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sim/query/shaping.hpp"
#include "sim/values/error.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// An update operator: changes one value, `target`. `exists`: whether the path exists in the
/// document; if not, `target` is BSON's null. `now_millis`: the time for `$currentDate`. Throws
/// command_failure (type_mismatch, bad_value, failed_to_parse).
using update_function = void (*)(value& target, bool exists, const value& operand,
                                 std::int64_t now_millis);

void need_numbers(const char* name, const value& target, bool exists, const value& operand) {
  if (!operand.is_number())
    refuse(errc::type_mismatch, std::string{"Cannot "} + name + " with non-numeric argument");
  if (exists && !target.is_number()) {
    refuse(errc::type_mismatch,
           std::string{"Cannot apply "} + name + " to a value of non-numeric type");
  }
}

void set_date(value& target, bool, const value& operand, std::int64_t now_millis) {
  const auto* options = operand.as<document>();
  const auto* name = options == nullptr ? nullptr : options->find_as<std::string>("$type");
  if (options != nullptr && (name == nullptr || (*name != "date" && *name != "timestamp")))
    refuse("$currentDate needs {$type: 'date' or 'timestamp'}");
  target = date{now_millis};
  if (name != nullptr && *name == "timestamp") {
    target = timestamp{1, static_cast<std::uint32_t>(now_millis / 1000)};
  }
}

array& members_of(const char* name, value& target, bool exists) {
  if (!exists) target = array{};
  auto* members = target.as<array>();
  if (members == nullptr)
    refuse(std::string{"Cannot apply "} + name + " to a value that is not an array");
  return *members;
}

/// The values to add: those of `$each`, or the operand itself.
array additions_of(const value& operand, const document*& modifiers) {
  const auto* content = operand.as<document>();
  if (content == nullptr || !content->has("$each")) return {operand};
  modifiers = content;
  const auto* several = content->find_as<array>("$each");
  if (several == nullptr) refuse("The argument to $each must be an array");
  return *several;
}

void sort_members(array& members, const value& by) {
  if (by.is_number()) {
    const bool ascending = by.as_int64() >= 0;
    std::ranges::stable_sort(members, [ascending](const value& a, const value& b) {
      return ascending ? compare(a, b) < 0 : compare(b, a) < 0;
    });
    return;
  }
  const auto* specification = by.as<document>();
  if (specification == nullptr) refuse("$sort is 1, -1 or a document");
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
  const auto size = std::ssize(members);
  if (count >= size || count <= -size) return;
  if (count >= 0) {
    members.erase(members.begin() + count, members.end());
  } else {
    members.erase(members.begin(), members.end() + count);
  }
}

void push(value& target, bool exists, const value& operand, std::int64_t) {
  array& members = members_of("$push", target, exists);
  const document* modifiers = nullptr;
  const array added = additions_of(operand, modifiers);
  auto at = static_cast<std::int64_t>(members.size());
  if (modifiers != nullptr && modifiers->has("$position")) {
    const std::int64_t position = modifiers->find("$position")->as_int64();
    at = position < 0 ? std::max<std::int64_t>(0, at + position) : std::min(at, position);
  }
  members.insert(members.begin() + at, added.begin(), added.end());
  if (modifiers == nullptr) return;
  if (const value* by = modifiers->find("$sort")) sort_members(members, *by);
  if (const value* count = modifiers->find("$slice")) slice_members(members, count->as_int64());
}

bool holds_member(const array& members, const value& searched) {
  return std::ranges::any_of(members,
                             [&](const value& each) { return is_equal(each, searched); });
}

void add_to_set(value& target, bool exists, const value& operand, std::int64_t) {
  array& members = members_of("$addToSet", target, exists);
  const document* modifiers = nullptr;
  for (const value& added : additions_of(operand, modifiers)) {
    if (!holds_member(members, added)) members.push_back(added);
  }
}

void pull(value& target, bool exists, const value& operand, std::int64_t) {
  array& members = members_of("$pull", target, exists);
  const auto* filter = operand.as<document>();
  const bool on_values = filter == nullptr || is_operator_document(operand);
  const matcher match{on_values ? document{{"v", operand}} : *filter};
  std::erase_if(members, [&](const value& each) {
    if (on_values) return match.matches({{"v", each}});
    const auto* inner = each.as<document>();
    return inner != nullptr && match.matches(*inner);
  });
}

void pull_all(value& target, bool exists, const value& operand, std::int64_t) {
  array& members = members_of("$pullAll", target, exists);
  const auto* removed = operand.as<array>();
  if (removed == nullptr) refuse("$pullAll needs an array");
  std::erase_if(members, [removed](const value& each) { return holds_member(*removed, each); });
}

void pop(value& target, bool exists, const value& operand, std::int64_t) {
  array& members = members_of("$pop", target, exists);
  const std::int64_t side = operand.as_int64();
  if (!operand.is_number() || (side != 1 && side != -1))
    refuse(errc::failed_to_parse, "$pop expects 1 or -1");
  if (!members.empty()) members.erase(side == 1 ? members.end() - 1 : members.begin());
}

struct update_operator {
  std::string_view name;
  update_function run;
  bool creates = true;  ///< creates a missing path
};

/// The operators that change a value; apply_operators() handles `$rename`, `$setOnInsert` and
/// `$unset`, which change fields.
constexpr auto value_operators = std::to_array<update_operator>({
    {"$set", [](value& target, bool, const value& operand, std::int64_t) { target = operand; }},
    {"$inc",
     [](value& target, bool exists, const value& operand, std::int64_t) {
       need_numbers("increment", target, exists, operand);
       target = exists ? add(target, operand) : operand;
     }},
    {"$mul",
     [](value& target, bool exists, const value& operand, std::int64_t) {
       need_numbers("multiply", target, exists, operand);
       // A missing field becomes zero of the operand's type.
       target = multiply(exists ? target : value{std::int32_t{0}}, operand);
     }},
    {"$min",
     [](value& target, bool exists, const value& operand, std::int64_t) {
       if (!exists || compare(operand, target) < 0) target = operand;
     }},
    {"$max",
     [](value& target, bool exists, const value& operand, std::int64_t) {
       if (!exists || compare(operand, target) > 0) target = operand;
     }},
    {"$currentDate", set_date},
    {"$push", push},
    {"$addToSet", add_to_set},
    {"$pull", pull, false},
    {"$pullAll", pull_all, false},
    {"$pop", pop, false},
});

const update_operator* find_operator_of_values(std::string_view name) noexcept {
  const auto* found = std::ranges::find(value_operators, name, &update_operator::name);
  return found == value_operators.end() ? nullptr : found;
}

/// Larger array positions are rejected rather than padded with nulls.
constexpr std::size_t max_array_padding = 100'000;

bool is_known_operator(std::string_view name) {
  return name == "$unset" || name == "$rename" || name == "$setOnInsert" ||
         find_operator_of_values(name) != nullptr;
}

/// Whether one path equals or contains the other.
bool overlaps(std::string_view left, std::string_view right) {
  if (left.size() > right.size()) std::swap(left, right);
  return right.starts_with(left) && (right.size() == left.size() || right[left.size()] == '.');
}

using array_filters = std::map<std::string, matcher, std::less<>>;

/// The `x` of a path's component `$[x]`; empty for `$[]` and any other component.
std::string identifier_of(const std::string& component) {
  const bool is_filtered = component.starts_with("$[") && component.ends_with(']');
  return is_filtered ? component.substr(2, component.size() - 3) : std::string{};
}

/// The name of the array's member in an array filter, such as `x` in {"x.a": 1}.
std::string identifier_of(const document& filter) {
  if (filter.empty()) return {};
  const field& first = filter.front();
  if (!first.name.starts_with('$')) return first.name.substr(0, first.name.find('.'));
  const auto* branches = first.content.as<array>();
  const auto* branch =
      branches == nullptr || branches->empty() ? nullptr : branches->front().as<document>();
  return branch == nullptr ? std::string{} : identifier_of(*branch);
}

array_filters parse_array_filters(const array& filters) {
  array_filters out;
  for (const value& each : filters) {
    const auto* filter = each.as<document>();
    if (filter == nullptr) refuse(errc::type_mismatch, "arrayFilters must hold objects");
    const std::string name = identifier_of(*filter);
    if (name.empty())
      refuse(errc::failed_to_parse, "An array filter must begin with a field's name");
    if (!out.emplace(name, matcher{*filter}).second) {
      refuse(errc::failed_to_parse,
             "Found multiple array filters with the same top-level field name " + name);
    }
  }
  return out;
}

/// Throws unless the components that begin with `$` stand for members of arrays. Adds the
/// array filters that they name to `used`.
void check_positions(const std::string& path, const array_filters& filters,
                     std::set<std::string>& used) {
  const auto components = split_path(path);
  for (const std::string& each : components) {
    if (!each.starts_with('$')) continue;
    const std::string name = identifier_of(each);
    if (name.empty() && each != "$" && each != "$[]")
      refuse(errc::bad_value, "The field name '" + each + "' in '" + path + "' isn't valid");
    if (&each == &components.front()) {
      refuse(errc::bad_value,
             "Cannot have positional (i.e. '$') element in the first position in path '" +
                 path + "'");
    }
    if (!name.empty() && !filters.contains(name)) {
      refuse(errc::bad_value,
             "No array filter found for identifier '" + name + "' in path '" + path + "'");
    }
    used.insert(name);
  }
}

void check_paths(const document& operators, const array_filters& filters) {
  std::vector<std::string> seen;
  std::set<std::string> used;
  const auto note = [&](const std::string& path) {
    if (path.empty()) refuse(errc::bad_value, "An empty update path is not valid.");
    check_positions(path, filters, used);
    for (const std::string& other : seen) {
      if (!overlaps(path, other)) continue;
      refuse(errc::conflicting_update_operators,
             "Updating the path '" + path + "' would create a conflict at '" + other + "'");
    }
    seen.push_back(path);
  };
  for (const field& each : operators) {
    const auto* changes = each.content.as<document>();
    if (changes == nullptr)
      refuse(errc::failed_to_parse, "Modifiers operate on fields but we found another type");
    for (const field& change : *changes) {
      note(change.name);
      if (each.name != "$rename") continue;
      const auto* target = change.content.as<std::string>();
      if (target == nullptr)
        refuse(errc::bad_value, "The 'to' field for $rename must be a string");
      note(*target);
      if (change.name.find(".$") != std::string::npos ||
          target->find(".$") != std::string::npos) {
        refuse(errc::bad_value, "The fields of a $rename may not be dynamic");
      }
    }
  }
  for (const auto& [name, filter] : filters) {
    if (used.contains(name)) continue;
    refuse(errc::failed_to_parse,
           "The array filter for identifier '" + name + "' was not used in the update");
  }
}

/// Whether a filter's field is a condition on an array, or on its members.
bool is_condition_on(const field& condition, const std::string& path) {
  if (!condition.name.starts_with('$')) return overlaps(condition.name, path);
  const auto* branches = condition.content.as<array>();
  return branches != nullptr && std::ranges::any_of(*branches, [&path](const value& branch) {
           const auto* inner = branch.as<document>();
           return inner != nullptr && std::ranges::any_of(*inner, [&path](const field& each) {
                    return is_condition_on(each, path);
                  });
         });
}

/// The index of the first member of the array at `path` that fulfils the filter's last
/// condition on it; std::nullopt if there is none.
std::optional<std::size_t> matched_member(const document& filter, const document& from,
                                          const std::string& path) {
  const value* list = plain_path(from, split_path(path));
  const auto* members = as<array>(list);
  std::optional<std::size_t> out;
  if (members == nullptr) return out;
  for (const field& each : filter) {
    if (each.name == "$and" && each.content.is<array>()) {
      for (const value& branch : *each.content.as<array>()) {
        if (auto found = matched_member(*branch.as<document>(), from, path)) out = found;
      }
    } else if (is_condition_on(each, path)) {
      const matcher fulfils{document{each}};
      document narrowed = from;
      for (std::size_t i = 0; i < members->size(); ++i) {
        set_path(narrowed, path, array{(*members)[i]});
        if (!fulfils.matches(narrowed)) continue;
        out = i;
        break;
      }
    }
  }
  return out;
}

/// Finds the paths that a path with positional components (`$`, `$[]`, `$[x]`) stands for in a
/// document.
class positions {
 public:
  positions(const document& from, const document& filter, const array_filters& filters)
      : from_(from), filter_(filter), filters_(filters) {}

  [[nodiscard]] std::vector<std::string> paths_of(const std::string& path) const {
    if (path.find(".$") == std::string::npos) return {path};
    std::vector<std::string> out;
    const auto components = split_path(path);
    const path_view all{components};
    add(from_.find(all.front()), all.subspan(1), all.front(), out);
    return out;
  }

 private:
  /// `at`: the value at the path `done`; null if it is missing.
  void add(const value* at, path_view rest, const std::string& done,
           std::vector<std::string>& out) const {
    if (rest.empty()) return out.push_back(done);
    const std::string& head = rest.front();
    const auto* members = as<array>(at);
    const auto add_below = [&](const std::string& name, const value* next) {
      add(next, rest.subspan(1), done + "." + name, out);
    };
    const auto add_member = [&](std::size_t i) {
      const bool exists = members != nullptr && i < members->size();
      add_below(std::to_string(i), exists ? &(*members)[i] : nullptr);
    };
    if (head == "$") {
      const auto found = matched_member(filter_, from_, done);
      if (!found)
        refuse("The positional operator did not find the match needed from the query.");
      add_member(*found);
    } else if (head.starts_with('$')) {
      if (at == nullptr) {
        refuse("The path '" + done +
               "' must exist in the document in order to apply array "
               "updates.");
      }
      if (members == nullptr) refuse("Cannot apply array updates to non-array element " + done);
      const auto filter = filters_.find(identifier_of(head));
      for (std::size_t i = 0; i < members->size(); ++i) {
        if (filter == filters_.end() ||
            filter->second.matches({{filter->first, (*members)[i]}}))
          add_member(i);
      }
    } else if (const auto index = array_index(head); members != nullptr && index) {
      add_member(*index);
    } else {
      const auto* inner = as<document>(at);
      add_below(head, inner == nullptr ? nullptr : inner->find(head));
    }
  }

  const document& from_;
  const document& filter_;
  const array_filters& filters_;
};

value* member_at(array& members, const std::string& component, bool create) {
  const auto index = array_index(component);
  if (!index)
    refuse(errc::path_not_viable, "Cannot create field '" + component + "' in an array");
  if (*index >= members.size()) {
    if (!create) return nullptr;
    if (*index > members.size() + max_array_padding)
      refuse(errc::bad_value, "can't backfill array to larger than limit");
    members.resize(*index + 1);
  }
  return &members[*index];
}

/// The value at `path`; if missing, it is created if `create`. `existed` says whether it was
/// there.
value* locate(document& root, path_view path, bool create, bool& existed) {
  existed = true;
  document* at = &root;
  for (std::size_t i = 0;; ++i) {
    value* next = at->find(path[i]);
    if (next == nullptr) {
      if (!create) return nullptr;
      existed = false;
      at->append(path[i], null{});
      next = at->find(path[i]);
    }
    while (i + 1 < path.size() && next->is<array>()) {
      auto& members = *next->as<array>();
      const std::size_t before = members.size();
      next = member_at(members, path[++i], create);
      if (next == nullptr) return nullptr;
      if (members.size() != before) existed = false;
    }
    if (i + 1 == path.size()) return next;
    if (!existed && next->is<null>()) *next = document{};
    at = next->as<document>();
    if (at != nullptr) continue;
    if (!create) return nullptr;
    refuse(errc::path_not_viable, "Cannot create field '" + path[i + 1] + "' in element");
  }
}

void unset(document& root, std::string_view path) {
  const auto parts = split_path(path);
  bool existed = false;
  if (parts.size() == 1) {
    root.erase(path);
    return;
  }
  value* parent = locate(root, path_view{parts}.first(parts.size() - 1), false, existed);
  if (parent == nullptr) return;
  if (auto* inner = parent->as<document>()) {
    inner->erase(parts.back());
  } else if (auto* members = parent->as<array>()) {
    const auto index = array_index(parts.back());
    if (index && *index < members->size()) (*members)[*index] = null{};
  }
}

void assign(document& root, std::string_view path, value content) {
  bool existed = false;
  *locate(root, split_path(path), true, existed) = std::move(content);
}

void rename(document& root, std::string_view from, std::string_view to) {
  bool existed = false;
  value* source = locate(root, split_path(from), false, existed);
  if (source == nullptr) return;
  value content = std::move(*source);
  unset(root, from);
  assign(root, to, std::move(content));
}

void apply_one(document& root, std::string_view name, const std::string& to,
               const value& operand, std::int64_t now_millis) {
  const update_operator& how = *find_operator_of_values(name);
  const auto path = split_path(to);
  bool existed = false;
  value* target = locate(root, path, how.creates, existed);
  if (target != nullptr) how.run(*target, existed, operand, now_millis);
}

void check_stages(const array& stages) {
  for (const value& each : stages) {
    const auto* stage = each.as<document>();
    if (stage == nullptr || stage->size() != 1)
      refuse(errc::failed_to_parse, "A pipeline stage must be an object with one field");
  }
}

/// Keeps the `_id` of `before` first; an update may not change it.
void settle_id(const document& before, document& after) {
  const value* old = before.find("_id");
  const value* id = after.find("_id");
  if (old == nullptr) return;
  if (id != nullptr && !is_equal(*old, *id)) {
    refuse(errc::immutable_field,
           "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  value kept = *old;
  after.erase("_id");
  after.prepend("_id", std::move(kept));
}

void seed_from(const document& filter, document& seed) {
  for (const field& each : filter) {
    if (each.name == "$and") {
      const auto* branches = each.content.as<array>();
      if (branches == nullptr) continue;
      for (const value& branch : *branches) {
        if (const auto* inner = branch.as<document>()) seed_from(*inner, seed);
      }
    } else if (!each.name.starts_with('$') && !each.content.is<regex>()) {
      const bool has_operators = is_operator_document(each.content);
      const value* equal =
          has_operators ? each.content.as<document>()->find("$eq") : &each.content;
      if (equal != nullptr) assign(seed, each.name, *equal);
    }
  }
}

}  // namespace

update::update(value specification, std::int64_t now_millis, const array& array_filters)
    : specification_(std::move(specification)),
      now_millis_(now_millis),
      array_filters_(parse_array_filters(array_filters)) {
  if (const auto* stages = specification_.as<array>()) {
    kind_ = kind::pipeline;
    check_stages(*stages);
    return;
  }
  const auto* content = specification_.as<document>();
  if (content == nullptr)
    refuse(errc::failed_to_parse, "Update argument must be an object or an array");
  const auto is_operator = [](const field& each) { return each.name.starts_with('$'); };
  if (content->empty() || !is_operator(content->front())) {
    kind_ = kind::replacement;
    if (std::any_of(content->begin(), content->end(), is_operator))
      refuse(errc::dollar_prefixed_field_name, "A replacement cannot hold update operators");
    return;
  }
}

void update::check_operators() const {
  if (kind_ != kind::operators) {
    if (array_filters_.empty()) return;
    refuse(errc::failed_to_parse, "arrayFilters need update operators");
  }
  const auto& content = *specification_.as<document>();
  for (const field& each : content) {
    if (!is_known_operator(each.name)) {
      refuse(errc::failed_to_parse, "Unknown modifier: " + each.name +
                                        ". Expected a valid update modifier or pipeline-style "
                                        "update specified as an array");
    }
  }
  check_paths(content, array_filters_);
}

document update::apply_operators(const document& before, bool inserting,
                                 const document& filter) const {
  document out = before;
  const positions in{before, filter, array_filters_};
  for (const field& each : *specification_.as<document>()) {
    if (each.name == "$setOnInsert" && !inserting) continue;
    for (const field& change : *each.content.as<document>()) {
      for (const std::string& path : in.paths_of(change.name)) {
        if (each.name == "$unset") {
          unset(out, path);
        } else if (each.name == "$rename") {
          rename(out, path, *change.content.as<std::string>());
        } else if (each.name == "$setOnInsert") {
          assign(out, path, change.content);
        } else {
          apply_one(out, each.name, path, change.content, now_millis_);
        }
      }
    }
  }
  return out;
}

bool update::changes_only(const std::string& field) const {
  const auto* operators = specification_.as<document>();
  if (kind_ != kind::operators || operators == nullptr) return false;
  const auto is_of_field = [&field](const std::string& path) {
    return path.substr(0, path.find('.')) == field;
  };
  for (const auto& each : *operators) {
    const auto* changes = each.content.as<document>();
    if (changes == nullptr) return false;
    for (const auto& change : *changes) {
      const auto* target =
          each.name == "$rename" ? change.content.as<std::string>() : &change.name;
      if (target == nullptr || !is_of_field(change.name) || !is_of_field(*target)) return false;
    }
  }
  return true;
}

document update::apply(const document& before, bool inserting, const document& filter) const {
  check_operators();
  document out;
  if (kind_ == kind::operators) {
    out = apply_operators(before, inserting, filter);
  } else if (kind_ == kind::replacement) {
    out = *specification_.as<document>();
  } else {
    out = before;
    for (const value& stage : *specification_.as<array>()) {
      const field& only = stage.as<document>()->front();
      if (!is_reshaping(only.name)) {
        refuse(errc::invalid_options,
               only.name + " is not allowed to be used within an update");
      }
      out = make_reshaping(only, {})(out);
    }
  }
  settle_id(before, out);
  return out;
}

document update::seed_of(const document& filter) {
  document seed;
  seed_from(filter, seed);
  return seed;
}

}  // namespace scattergate::sim
