#include "sim/targeting/filter_split.hpp"

#include <algorithm>
#include <cctype>

namespace scattergate::sim {
namespace {

bool is_above(std::string_view parent, std::string_view path) {
  return path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '.';
}

bool is_leaf(filter_kind kind) {
  switch (kind) {
    case filter_kind::some_document:
    case filter_kind::some_value:
    case filter_kind::size:
    case filter_kind::expression:
    case filter_kind::other:
    case filter_kind::always_false:
    case filter_kind::always_true:
      return false;
    default:
      return !is_logic(kind);
  }
}

/// A condition on an array, whose inner paths continue its own.
bool is_array_condition(filter_kind kind) {
  return kind == filter_kind::some_document || kind == filter_kind::some_value ||
         kind == filter_kind::size;
}

bool is_kept(std::string_view path, const stage_effects& stage) {
  const auto covers = [path](const std::string& each) {
    return each == path || is_above(each, path);
  };
  return std::ranges::any_of(stage.paths, covers) ||
         std::ranges::any_of(stage.renames,
                             [&](const auto& each) { return covers(each.first); });
}

bool is_untouched(std::string_view path, const stage_effects& stage) {
  if (stage.changes_all_but) return is_kept(path, stage);
  return std::ranges::none_of(stage.paths, [path](const std::string& each) {
    return each == path || is_above(each, path) || is_above(path, each);
  });
}

/// Whether the stage's renames leave no doubt about a condition's path. One on an array's
/// members can't be renamed to a path below an array (mongo: expression_path.h,
/// wouldRenameSucceed).
bool is_renamable(const filter_node& filter, const stage_effects& stage) {
  return std::ranges::none_of(stage.renames, [&](const auto& rename) {
    const auto& [now, before] = rename;
    if (is_above(filter.path, now)) return true;
    const bool is_of_members =
        filter.kind == filter_kind::some_document || filter.kind == filter_kind::some_value;
    return is_of_members && filter.path == now && before.find('.') != before.npos;
  });
}

/// Conditions on arrays move if the stage allows it.
bool is_independent(const filter_node& filter, const stage_effects& stage) {
  if (filter.kind == filter_kind::expression) {
    if (!stage.lets_expressions_pass) return false;
    const auto paths = paths_of_expression(filter.operand);
    return paths && std::ranges::all_of(*paths, [&](const std::string& each) {
             return is_untouched(each, stage);
           });
  }
  if (is_logic(filter.kind)) {
    return std::ranges::all_of(
        filter.parts, [&](const filter_node& each) { return is_independent(each, stage); });
  }
  const bool is_movable = is_leaf(filter.kind) ||
                          (stage.lets_array_conditions_pass && is_array_condition(filter.kind));
  if (stage.lets_array_conditions_pass && !is_renamable(filter, stage)) return false;
  return is_movable && is_untouched(filter.path, stage);
}

std::optional<filter_node> grouped(filter_kind kind, std::vector<filter_node> parts) {
  if (parts.empty()) return std::nullopt;
  if (parts.size() == 1 && kind == filter_kind::all_of) return std::move(parts.front());
  filter_node out{kind};
  out.parts = std::move(parts);
  return out;
}

/// Parts of an `$and` move separately, those of a `$nor` if they can move as a whole.
split_filter split_without_renames(filter_node filter, const stage_effects& stage) {
  if (is_independent(filter, stage)) return {std::move(filter), std::nullopt};
  if (filter.kind != filter_kind::all_of && filter.kind != filter_kind::none_of) {
    return {std::nullopt, std::move(filter)};
  }
  std::vector<filter_node> moved;
  std::vector<filter_node> kept;
  for (filter_node& each : filter.parts) {
    if (filter.kind == filter_kind::none_of) {
      (is_independent(each, stage) ? moved : kept).push_back(std::move(each));
      continue;
    }
    split_filter halves = split_without_renames(std::move(each), stage);
    if (halves.moved) moved.push_back(std::move(*halves.moved));
    if (halves.kept) kept.push_back(std::move(*halves.kept));
  }
  return {grouped(filter.kind, std::move(moved)), grouped(filter.kind, std::move(kept))};
}

void rename(filter_node& filter, const std::map<std::string, std::string>& renames) {
  const bool is_array = is_array_condition(filter.kind);
  for (filter_node& each : filter.parts) {
    if (!is_array) rename(each, renames);
  }
  if (!is_leaf(filter.kind) && !is_array) return;
  for (const auto& [now, before] : renames) {
    if (filter.path == now || is_above(now, filter.path)) {
      filter.path = before + filter.path.substr(now.size());
      return;
    }
  }
}

bool has_numeric_part(std::string_view path) {
  while (true) {
    const std::string_view part = path.substr(0, path.find('.'));
    const bool is_numeric = !part.empty() && std::ranges::all_of(part, [](unsigned char each) {
      return std::isdigit(each) != 0;
    });
    if (is_numeric) return true;
    if (part.size() == path.size()) return false;
    path.remove_prefix(part.size() + 1);
  }
}

bool is_safe_value(const value& operand) {
  return !operand.is<array>() && !operand.is<document>() && !operand.is<null>() &&
         !operand.is<undefined>();
}

bool is_safe_leaf(const filter_node& leaf, const targeting_rules& rules) {
  if (leaf.by_operator && !rules.copies_operators) return false;
  if (has_numeric_part(leaf.path)) return false;
  switch (leaf.kind) {
    case filter_kind::type:
    case filter_kind::regex:
    case filter_kind::mod:
    case filter_kind::bits:
      return true;
    case filter_kind::in: {
      const auto* members = leaf.operand.as<array>();
      return members != nullptr && std::ranges::all_of(*members, is_safe_value);
    }
    default:
      return leaf.kind >= filter_kind::equal && leaf.kind <= filter_kind::at_least &&
             is_safe_value(leaf.operand);
  }
}

}  // namespace

split_filter split_by(filter_node filter, const stage_effects& stage) {
  split_filter out = split_without_renames(std::move(filter), stage);
  if (out.moved) rename(*out.moved, stage.renames);
  return out;
}

bool asks_existence(const filter_node& filter, std::string_view path) {
  if (filter.kind == filter_kind::exists) return filter.path == path;
  return std::ranges::any_of(
      filter.parts, [path](const filter_node& each) { return asks_existence(each, path); });
}

bool has_condition(const filter_node& filter, filter_kind kind,
                   const std::set<std::string>& paths) {
  if (filter.kind == kind) {
    return std::ranges::any_of(paths, [&](const std::string& each) {
      return filter.path == each || is_above(each, filter.path);
    });
  }
  return std::ranges::any_of(
      filter.parts, [&](const filter_node& each) { return has_condition(each, kind, paths); });
}

std::optional<filter_node> safe_from_redact(const filter_node& filter,
                                            const targeting_rules& rules) {
  const bool is_or = filter.kind == filter_kind::any_of;
  const bool enters = is_or || filter.kind == filter_kind::all_of ||
                      filter.kind == filter_kind::some_document ||
                      filter.kind == filter_kind::some_value;
  if (!enters) return is_safe_leaf(filter, rules) ? std::optional{filter} : std::nullopt;
  filter_node out{filter.kind, filter.path};
  for (const filter_node& each : filter.parts) {
    auto safe = safe_from_redact(each, rules);
    if (!safe && is_or) return std::nullopt;
    if (safe) out.parts.push_back(std::move(*safe));
  }
  if (out.parts.empty()) return std::nullopt;
  return out;
}

}  // namespace scattergate::sim
