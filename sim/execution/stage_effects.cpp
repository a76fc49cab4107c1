#include "sim/execution/stage_effects.hpp"

#include <algorithm>

#include "sim/targeting/expression_rules.hpp"

namespace scattergate::sim {
namespace {

bool is_flag(const value& content) {
  return content.is_number() || content.is<bool>();
}

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

/// A document of fields rather than an operator.
const document* fields_of(const value& content) {
  const auto* inner = content.as<document>();
  if (inner == nullptr || inner->empty() || inner->front().name.starts_with('$')) {
    return nullptr;
  }
  return inner;
}

/// The field that an expression refers to, of the document or, if named, of a variable; empty
/// if the expression is anything else.
std::string renamed_field(const value& expression, const std::string& variable) {
  std::string source;
  if (variable.empty()) {
    source = path_of_field(expression);
  } else if (const auto* text = expression.as<std::string>()) {
    const std::string start = "$$" + variable + ".";
    if (text->starts_with(start)) source = text->substr(start.size());
  }
  return source.find('.') == source.npos ? source : std::string{};
}

void add_computed(const std::string& path, const value& expression, const std::string& variable,
                  const targeting_rules& rules, stage_effects& out);

/// A `$map` over a field renamed the fields that its documents take from the members (mongo:
/// ExpressionMap::getComputedPaths, which 8.x has removed). False for any other
/// expression.
bool add_mapped(const std::string& path, const value& expression, const std::string& variable,
                const targeting_rules& rules, stage_effects& out) {
  const auto* content = expression.as<document>();
  const bool is_map = content != nullptr && content->size() == 1 &&
                      content->front().name == "$map" &&
                      content->front().content.is<document>();
  if (!is_map || !rules.renames_nested) return false;
  const auto& map = *content->front().content.as<document>();
  const value* input = map.find("input");
  const value* each = map.find("in");
  const value* as = map.find("as");
  if (input == nullptr || each == nullptr) return false;
  const std::string list = renamed_field(*input, variable);
  const auto* name = as == nullptr ? nullptr : as->as<std::string>();
  if (list.empty()) return false;
  stage_effects inner;
  add_computed(path, *each, name == nullptr ? "this" : *name, rules, inner);
  if (inner.renames.empty()) return false;
  out.paths.insert(inner.paths.begin(), inner.paths.end());
  for (const auto& [now, before] : inner.renames) out.renames[now] = joined(list, before);
  return true;
}

/// Adds what `path: expression` computes; a reference to another field is a rename.
void add_computed(const std::string& path, const value& expression, const std::string& variable,
                  const targeting_rules& rules, stage_effects& out) {
  if (const document* inner = fields_of(expression)) {
    for (const field& each : *inner) {
      add_computed(joined(path, each.name), each.content, variable, rules, out);
    }
    return;
  }
  if (add_mapped(path, expression, variable, rules, out)) return;
  const std::string source = renamed_field(expression, variable);
  if (source.empty()) {
    if (!out.changes_all_but) out.paths.insert(path);
  } else {
    out.renames[path] = source;
  }
}

/// Moves the renames to the changed paths.
void forget_renames(stage_effects& out) {
  for (const auto& [now, before] : out.renames) {
    if (!out.changes_all_but) out.paths.insert(now);
  }
  out.renames.clear();
}

/// Adds what a $project or $addFields computes at a path; below the top level nothing may be a
/// rename (mongo: projection_node.cpp, reportComputedPaths).
void add_written(const std::string& path, const value& expression, const targeting_rules& rules,
                 stage_effects& out) {
  const bool is_nested = path.find('.') != path.npos || fields_of(expression) != nullptr;
  stage_effects one;
  one.changes_all_but = out.changes_all_but;
  add_computed(path, expression, {}, rules, one);
  if (is_nested && !rules.renames_nested) forget_renames(one);
  out.paths.insert(one.paths.begin(), one.paths.end());
  out.renames.insert(one.renames.begin(), one.renames.end());
}

bool is_exclusion(const document& specification, bool below = false) {
  bool only_id = true;
  for (const field& each : specification) {
    if (each.name == "_id" && !below) continue;
    only_id = false;
    if (const document* inner = fields_of(each.content)) return is_exclusion(*inner, true);
    return is_flag(each.content) && !each.content.is_truthy();
  }
  const value* id = specification.find("_id");
  return only_id && id != nullptr && is_flag(*id) && !id->is_truthy();
}

void add_projected(const document& specification, const std::string& prefix, bool excludes,
                   const targeting_rules& rules, stage_effects& out) {
  for (const field& each : specification) {
    const std::string path = joined(prefix, each.name);
    if (const document* inner = fields_of(each.content)) {
      add_projected(*inner, path, excludes, rules, out);
    } else if (!is_flag(each.content)) {
      add_written(path, each.content, rules, out);
    } else if (each.content.is_truthy() != excludes) {
      out.paths.insert(path);
    }
  }
}

stage_effects of_project(const document& specification, const targeting_rules& rules) {
  stage_effects out;
  const bool excludes = is_exclusion(specification);
  out.changes_all_but = !excludes;
  add_projected(specification, {}, excludes, rules, out);
  if (!excludes && !specification.has("_id")) out.paths.insert("_id");
  return out;
}

/// Adds what `$project` makes of parts of the group's key.
void add_key_parts(const document& specification, const std::set<std::string>& key_parts,
                   stage_effects& out) {
  for (const field& each : specification) {
    std::string source = path_of_field(each.content);
    const bool is_nested = each.name.find('.') != each.name.npos;
    if (!is_nested && key_parts.contains(source)) out.renames[each.name] = std::move(source);
  }
}

stage_effects of_add_fields(const document& specification, const targeting_rules& rules) {
  stage_effects out;
  for (const field& each : specification) add_written(each.name, each.content, rules, out);
  return out;
}

/// A group changes every field; its key is a rename if it is a field.
stage_effects of_group(const document& specification, const targeting_rules& rules) {
  stage_effects out;
  out.changes_all_but = true;
  if (const value* id = specification.find("_id")) add_computed("_id", *id, {}, rules, out);
  return out;
}

std::string without_dollar(const value& path) {
  const auto* text = path.as<std::string>();
  return text != nullptr && text->starts_with('$') ? text->substr(1) : std::string{};
}

stage_effects of_fields(const document& specification,
                        std::initializer_list<const char*> names) {
  stage_effects out;
  for (const char* name : names) {
    const value* content = specification.find(name);
    const auto* path = content == nullptr ? nullptr : content->as<std::string>();
    if (path != nullptr) out.paths.insert(path->substr(path->starts_with('$') ? 1 : 0));
  }
  return out;
}

stage_effects of_unset(const value& operand) {
  stage_effects out;
  const array names = operand.is<array>() ? *operand.as<array>() : array{operand};
  for (const value& each : names) {
    if (const auto* name = each.as<std::string>()) out.paths.insert(*name);
  }
  return out;
}

}  // namespace

std::optional<stage_effects> effects_of(const field& stage, const targeting_rules& rules) {
  const auto* content = stage.content.as<document>();
  if (stage.name == "$sort") return stage_effects{};
  if (stage.name == "$unset") return of_unset(stage.content);
  if (stage.name == "$unwind" && content == nullptr) {
    return stage_effects{false, {without_dollar(stage.content)}, {}};
  }
  if (content == nullptr) return std::nullopt;
  if (stage.name == "$project") return of_project(*content, rules);
  if (stage.name == "$addFields" || stage.name == "$set") return of_add_fields(*content, rules);
  if (stage.name == "$group") return of_group(*content, rules);
  if (stage.name == "$unwind") return of_fields(*content, {"path", "includeArrayIndex"});
  if (stage.name == "$lookup") return of_fields(*content, {"as"});
  if (stage.name == "$graphLookup") return of_fields(*content, {"as", "depthField"});
  return std::nullopt;
}

std::set<std::string> key_parts_of_group(const field& stage) {
  std::set<std::string> out;
  const auto* content = stage.content.as<document>();
  const value* id = content == nullptr ? nullptr : content->find("_id");
  const document* fields = id == nullptr ? nullptr : fields_of(*id);
  if (fields == nullptr) return out;
  for (const field& each : *fields) out.insert("_id." + each.name);
  return out;
}

std::optional<stage_effects> effects_behind_group(const field& stage,
                                                  const std::set<std::string>& key_parts,
                                                  const targeting_rules& rules) {
  const auto* content = stage.content.as<document>();
  if (stage.name != "$project" || content == nullptr) return std::nullopt;
  stage_effects out = of_project(*content, rules);
  if (!out.changes_all_but) return std::nullopt;
  add_key_parts(*content, key_parts, out);
  return out;
}

}  // namespace scattergate::sim
