#include "sim/query/shaping.hpp"

#include <algorithm>
#include <array>

#include "sim/values/error.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// Keeps in `best` the one of both that determines the order.
void keep(std::optional<value>& best, const value& candidate, bool ascending) {
  if (best) {
    const auto order = compare(candidate, *best);
    if (ascending ? order >= 0 : order <= 0) return;
  }
  best = candidate;
}

}  // namespace

sort_order::sort_order(const document& specification) {
  for (const field& each : specification) {
    if (!each.content.is_number()) refuse("Illegal sort direction for " + each.name);
    const std::int64_t direction = each.content.as_int64();
    if (direction != 1 && direction != -1) refuse("$sort key ordering must be 1 or -1");
    parts_.push_back({split_path(each.name), direction == 1});
  }
}

array sort_order::key_of(const document& candidate) const {
  array key;
  for (const part& each : parts_) {
    std::optional<value> best;
    auto visit = [&best, &each](const value* leaf) {
      const auto* members = as<array>(leaf);
      if (members == nullptr) {
        keep(best, leaf == nullptr ? value{} : *leaf, each.ascending);
      } else if (members->empty()) {
        keep(best, undefined{}, each.ascending);
      } else {
        for (const value& member : *members) keep(best, member, each.ascending);
      }
      return false;
    };
    visit_path(candidate, each.path, visit);
    key.push_back(best.value_or(null{}));
  }
  return key;
}

bool sort_order::is_before(const array& left, const array& right) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto order = compare(left[i], right[i]);
    if (order != 0) return parts_[i].ascending ? order < 0 : order > 0;
  }
  return false;
}

void sort_order::apply(std::vector<document_ptr>& documents) const {
  std::vector<std::pair<array, document_ptr>> keyed;
  keyed.reserve(documents.size());
  for (document_ptr& each : documents) {
    array key = key_of(*each);
    keyed.emplace_back(std::move(key), std::move(each));
  }
  std::stable_sort(keyed.begin(), keyed.end(), [this](const auto& left, const auto& right) {
    return is_before(left.first, right.first);
  });
  for (std::size_t i = 0; i < keyed.size(); ++i) documents[i] = std::move(keyed[i].second);
}

/// The named fields as a tree; a node without children ends a path.
struct projection::node {
  std::string name;  ///< empty at the root
  std::vector<node> children;

  [[nodiscard]] const node* find(std::string_view known) const {
    for (const node& each : children) {
      if (each.name == known) return &each;
    }
    return nullptr;
  }
  node& child(const std::string& known) {
    for (node& each : children) {
      if (each.name == known) return each;
    }
    return children.emplace_back(node{known, {}});
  }

  [[nodiscard]] document keep(const document& from, bool inclusive) const {
    document out;
    for (const field& each : from) {
      const node* below = find(each.name);
      if (below == nullptr) {
        if (!inclusive) out.append(each.name, each.content);
      } else if (below->children.empty()) {
        if (inclusive) out.append(each.name, each.content);
      } else if (auto content = below->keep(each.content, inclusive)) {
        out.append(each.name, std::move(*content));
      }
    }
    return out;
  }

  /// std::nullopt if an inclusion of deeper fields meets a plain value.
  [[nodiscard]] std::optional<value> keep(const value& from, bool inclusive) const {
    if (const auto* inner = from.as<document>()) return keep(*inner, inclusive);
    if (const auto* members = from.as<array>()) {
      array out;
      for (const value& member : *members) {
        if (auto content = keep(member, inclusive)) out.push_back(std::move(*content));
      }
      return out;
    }
    if (inclusive) return std::nullopt;
    return from;
  }
};

namespace {

std::pair<std::int64_t, std::int64_t> slice_of(const value& operand) {
  if (const auto* both = operand.as<array>(); both != nullptr && both->size() == 2) {
    return {(*both)[0].as_int64(), std::max<std::int64_t>((*both)[1].as_int64(), 0)};
  }
  const std::int64_t count = operand.as_int64();
  constexpr std::int64_t all = INT32_MAX;
  return count < 0 ? std::pair{count, all} : std::pair{std::int64_t{0}, count};
}

array slice(const array& from, std::int64_t skip, std::int64_t limit) {
  const auto size = static_cast<std::int64_t>(from.size());
  if (skip < 0) skip = std::max<std::int64_t>(0, size + skip);
  skip = std::min(skip, size);
  limit = std::min(limit, size - skip);
  return {from.begin() + skip, from.begin() + skip + limit};
}

void set_below(value& into, path_view path, const value& content) {
  if (path.empty()) {
    into = content;
    return;
  }
  if (auto* members = into.as<array>()) {
    for (value& member : *members) set_below(member, path, content);
    return;
  }
  if (!into.is<document>()) into = document{};
  auto& inner = *into.as<document>();
  if (!inner.has(path.front())) inner.append(path.front(), null{});
  set_below(*inner.find(path.front()), path.subspan(1), content);
}

}  // namespace

void set_path(document& into, std::string_view path, const value& content) {
  const auto parts = split_path(path);
  if (!into.has(parts.front())) into.append(parts.front(), null{});
  set_below(*into.find(parts.front()), path_view{parts}.subspan(1), content);
}

projection::projection(const document& specification, const variables& names)
    : tree_(std::make_shared<node>()) {
  for (const field& each : specification) add("", each, names);
}

void projection::add_flag(const std::string& path, bool included) {
  if (path == "_id") {
    with_id_ = included;
    if (!included) return;
    // {_id: 1} alone is an inclusion; with exclusions it is redundant.
    if (decided_) return;
    tree_->child(path);
    return;
  }
  if (decided_ && inclusive_ != included) {
    refuse(errc::projection_mixes,
           "Cannot do " + std::string{included ? "inclusion" : "exclusion"} + " on field " +
               path + " in " + (included ? "exclusion" : "inclusion") + " projection");
  }
  inclusive_ = included;
  decided_ = true;
  node* at = tree_.get();
  for (const std::string& component : split_path(path)) at = &at->child(component);
}

void projection::add_array_part(const std::string& name, const document& operators) {
  array_part part;
  part.name = name;
  const field& first = operators.front();
  if (first.name == "$slice") {
    std::tie(part.skip, part.limit) = slice_of(first.content);
  } else {
    part.match = std::make_shared<matcher>(document{{name, operators}});
    add_flag(name, true);
  }
  array_parts_.push_back(std::move(part));
}

void projection::add(const std::string& prefix, const field& each, const variables& names) {
  const std::string path = prefix + each.name;
  if (each.content.is_number() || each.content.is<bool>()) {
    add_flag(path, each.content.is_truthy());
    return;
  }
  const auto* inner = each.content.as<document>();
  if (inner != nullptr && !inner->empty() && !inner->front().name.starts_with('$')) {
    for (const field& below : *inner) add(path + ".", below, names);
    return;
  }
  if (inner != nullptr && (inner->has("$elemMatch") || inner->has("$slice"))) {
    add_array_part(path, *inner);
    return;
  }
  if (!decided_) inclusive_ = decided_ = true;
  computed_.emplace_back(path, expression{each.content, names});
}

bool projection::is_empty() const noexcept {
  return tree_->children.empty() && computed_.empty() && array_parts_.empty() && with_id_;
}

void projection::apply_array_parts(const document& from, document& out) const {
  for (const array_part& part : array_parts_) {
    const auto* members = from.find_as<array>(part.name);
    if (members == nullptr) continue;
    if (part.match == nullptr) {
      out.set(part.name, slice(*members, part.skip, part.limit));
      continue;
    }
    const auto found = std::find_if(members->begin(), members->end(), [&](const value& member) {
      return part.match->matches({{part.name, array{member}}});
    });
    out.erase(part.name);
    if (found != members->end()) out.append(part.name, array{*found});
  }
}

document projection::apply(const document& from) const {
  if (is_empty()) return from;
  // {_id: 1} alone includes only the _id.
  const bool only_id = !decided_ && !tree_->children.empty();
  const bool inclusive = decided_ ? inclusive_ : only_id;
  document out;
  if (!inclusive || !tree_->children.empty()) out = tree_->keep(from, inclusive);
  const value* id = from.find("_id");
  if (!with_id_) {
    out.erase("_id");
  } else if (id != nullptr && inclusive && !out.has("_id")) {
    out.prepend("_id", *id);
  }
  apply_array_parts(from, out);
  for (const auto& [path, compute] : computed_) {
    if (auto result = compute.evaluate_or_missing(from)) set_path(out, path, *result);
  }
  return out;
}

namespace {

const document& fields_of_stage(const field& stage) {
  const auto* content = stage.content.as<document>();
  if (content != nullptr) return *content;
  refuse(errc::failed_to_parse, "the " + stage.name + " specification must be an object");
}

reshaping make_projection(const document& specification, const variables& names) {
  const auto projected = std::make_shared<const projection>(specification, names);
  return [projected](const document& from) { return projected->apply(from); };
}

reshaping make_addition(const document& fields, const variables& names) {
  std::vector<std::pair<std::string, expression>> computed;
  for (const field& each : fields) {
    computed.emplace_back(each.name, expression{each.content, names});
  }
  return [computed](const document& from) {
    document out = from;
    for (const auto& [path, compute] : computed) {
      if (auto result = compute.evaluate_or_missing(from)) set_path(out, path, *result);
    }
    return out;
  };
}

reshaping make_removal(const value& operand, const variables& names) {
  document exclusion;
  for (const value& each : operand.is<array>() ? *operand.as<array>() : array{operand}) {
    const auto* name = each.as<std::string>();
    if (name == nullptr) refuse(31120, "$unset takes strings");
    exclusion.append(*name, std::int32_t{0});
  }
  return make_projection(exclusion, names);
}

reshaping make_replacement(const value& operand, const variables& names) {
  return [compute = expression{operand, names}](const document& from) {
    value result = compute.evaluate(from);
    auto* content = result.as<document>();
    if (content == nullptr) refuse(40228, "'newRoot' expression must evaluate to an object");
    return std::move(*content);
  };
}

}  // namespace

bool is_reshaping(std::string_view stage) noexcept {
  constexpr std::array names{"$project", "$addFields",   "$set",
                             "$unset",   "$replaceRoot", "$replaceWith"};
  return std::ranges::find(names, stage) != names.end();
}

reshaping make_reshaping(const field& stage, const variables& names) {
  if (stage.name == "$unset") return make_removal(stage.content, names);
  if (stage.name == "$replaceWith") return make_replacement(stage.content, names);
  const document& fields = fields_of_stage(stage);
  if (stage.name == "$project") {
    if (!fields.empty()) return make_projection(fields, names);
    refuse(51272, "$project must have at least one field");
  }
  if (stage.name != "$replaceRoot") return make_addition(fields, names);
  const value* root = fields.find("newRoot");
  if (root != nullptr) return make_replacement(*root, names);
  refuse(errc::failed_to_parse, "$replaceRoot needs newRoot");
}

}  // namespace scattergate::sim
