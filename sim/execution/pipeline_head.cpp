#include <algorithm>

#include "sim/execution/pipeline.hpp"

namespace scattergate::sim {
namespace {

/// The first component of a path.
std::string_view root_of(std::string_view path) {
  return path.substr(0, path.find('.'));
}

/// The top-level fields that a filter names. False where it can't be told (`$expr`).
bool roots_of(const document& filter, std::vector<std::string_view>& out) {
  for (const field& each : filter) {
    if (!each.name.starts_with('$')) {
      out.push_back(root_of(each.name));
      continue;
    }
    const auto* branches = each.content.as<array>();
    if (branches == nullptr) return false;
    for (const value& branch : *branches) {
      const auto* inner = branch.as<document>();
      if (inner == nullptr || !roots_of(*inner, out)) return false;
    }
  }
  return true;
}

/// Whether a `$project` leaves the top-level field as it is.
bool projects_through(const document& specification, std::string_view root) {
  bool excludes = true;
  for (const field& each : specification) {
    const bool flag = each.content.is_number() || each.content.is<bool>();
    const bool included = flag && each.content.is_truthy();
    if (!flag || (included && each.name != "_id")) excludes = false;
    if (root_of(each.name) == root) return included && each.name == root;
  }
  return excludes || root == "_id";
}

bool names_root(const value& operand, std::string_view root) {
  if (const auto* name = operand.as<std::string>()) {
    return root_of(name->starts_with('$') ? std::string_view{*name}.substr(1) : *name) == root;
  }
  if (const auto* several = operand.as<array>()) {
    return std::any_of(several->begin(), several->end(),
                       [root](const value& each) { return names_root(each, root); });
  }
  const auto* content = operand.as<document>();
  if (content == nullptr) return true;
  return std::any_of(content->begin(), content->end(),
                     [root](const field& each) { return root_of(each.name) == root; });
}

/// Whether a filter on `root` means the same before the stage as behind it.
bool passes(const field& stage, std::string_view root) {
  if (stage.name == "$match" || stage.name == "$sort") return true;
  if (stage.name == "$addFields" || stage.name == "$set" || stage.name == "$unset") {
    return !names_root(stage.content, root);
  }
  const auto* content = stage.content.as<document>();
  if (stage.name == "$project") return content != nullptr && projects_through(*content, root);
  if (stage.name == "$unwind") {
    const value* path = content == nullptr ? &stage.content : content->find("path");
    const value* index = content == nullptr ? nullptr : content->find("includeArrayIndex");
    return path != nullptr && !names_root(*path, root) &&
           (index == nullptr || !names_root(*index, root));
  }
  return false;
}

bool reaches_head(std::span<const value> before, const document& filter) {
  std::vector<std::string_view> roots;
  const bool known = roots_of(filter, roots);
  return std::all_of(before.begin(), before.end(), [&](const value& each) {
    const field& stage = each.as<document>()->front();
    if (stage.name == "$match" || stage.name == "$sort") return true;
    return known && std::all_of(roots.begin(), roots.end(), [&stage](std::string_view root) {
             return passes(stage, root);
           });
  });
}

}  // namespace

document head_filter(const array& stages) {
  array parts;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const field& stage = stages[i].as<document>()->front();
    const auto* filter = stage.content.as<document>();
    if (stage.name != "$match" || filter == nullptr) continue;
    if (reaches_head(std::span{stages}.first(i), *filter)) parts.emplace_back(*filter);
  }
  if (parts.empty()) return {};
  if (parts.size() == 1) return *parts.front().as<document>();
  return {{"$and", std::move(parts)}};
}

bool is_like_find(const array& stages) {
  return std::all_of(stages.begin(), stages.end(), [](const value& each) {
    const std::string& name = each.as<document>()->front().name;
    return name == "$match" || name == "$sort" || name == "$limit" || name == "$skip" ||
           name == "$project";
  });
}

}  // namespace scattergate::sim
