#include "sim/targeting/key_bounds.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "sim/targeting/field_bounds.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// The bounds of the key by a conjunction of predicates.
struct conjunction {
  explicit conjunction(std::size_t size) : fields(size, value_set::everything()) {}

  key_bounds fields;
  bool is_empty = true;
  bool bounds_first = false;
};

/// Chooses a plan. The siblings of an `$or` apply in each of its branches.
class planner {
 public:
  planner(const shard_key& key, const targeting_terms& terms) : key_(key), terms_(terms) {}

  /// `prefix` is the path of the enclosing `$elemMatch`, with its dot.
  [[nodiscard]] std::optional<key_bounds> plan(const filter_node& node,
                                               const std::string& prefix,
                                               const conjunction& outside) const {
    if (node.kind == filter_kind::any_of) return plan_branches(node, prefix, outside);
    if (node.kind == filter_kind::some_document) return plan_member(node, prefix, outside);
    if (node.kind != filter_kind::all_of && !is_bounding(node)) return std::nullopt;
    conjunction all = nothing_said();
    gather(node, prefix, all);
    const bool has_own = !all.is_empty;
    add(outside, all);
    if (auto first = plan_first_branches(node, prefix, all)) return first;
    if (!has_own || !all.bounds_first) return std::nullopt;
    return std::move(all.fields);
  }

 private:
  /// Each branch must have bounds. They are united field by field, which may cover more than
  /// the branches do (mongo: ChunkManager::collapseQuerySolution).
  std::optional<key_bounds> plan_branches(const filter_node& node, const std::string& prefix,
                                          const conjunction& outside) const {
    std::vector<std::vector<interval>> fields(key_.parts().size());
    for (const filter_node& each : node.parts) {
      const auto branch = plan(each, prefix, outside);
      if (!branch) return std::nullopt;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto& parts = (*branch)[i].parts();
        fields[i].insert(fields[i].end(), parts.begin(), parts.end());
      }
    }
    key_bounds out;
    for (auto& each : fields) out.push_back(value_set::any_of(std::move(each)));
    return out;
  }

  /// An `$elemMatch` as a branch: the first of its parts that can be planned.
  std::optional<key_bounds> plan_member(const filter_node& node, const std::string& prefix,
                                        const conjunction& outside) const {
    for (const filter_node& each : node.parts) {
      if (auto found = plan(each, prefix + node.path + ".", outside)) return found;
    }
    return std::nullopt;
  }

  /// An `$or` that can be planned takes precedence over the predicates next to it, which apply
  /// within it; of several, the first.
  std::optional<key_bounds> plan_first_branches(const filter_node& node,
                                                const std::string& prefix,
                                                const conjunction& all) const {
    for (const filter_node& each : node.parts) {
      std::optional<key_bounds> found;
      if (each.kind == filter_kind::any_of) {
        found = plan_branches(each, prefix, all);
      } else if (each.kind == filter_kind::some_document) {
        found = plan_first_branches(each, prefix + each.path + ".", nothing_said());
      } else if (each.kind == filter_kind::all_of) {
        found = plan_first_branches(each, prefix, all);
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  /// The predicates on the key's fields in a conjunction.
  void gather(const filter_node& node, const std::string& prefix, conjunction& out) const {
    if (is_bounding(node)) return add(node, prefix, out);
    const bool enters = node.kind == filter_kind::some_document;
    if (!enters && node.kind != filter_kind::all_of) return;
    for (const filter_node& each : node.parts) {
      gather(each, enters ? prefix + node.path + "." : prefix, out);
    }
  }

  void add(const filter_node& node, const std::string& prefix, conjunction& out) const {
    const bool is_negated = node.kind == filter_kind::negation;
    const std::string path = prefix + (is_negated ? node.parts.front().path : node.path);
    for (std::size_t i = 0; i < key_.parts().size(); ++i) {
      const shard_key::part& part = key_.parts()[i];
      if (part.name != path || !can_bound(node, part, terms_.compares_simply)) continue;
      narrow(i, bounds_of(node, part, terms_.rules), out);
      out.is_empty = false;
      out.bounds_first = out.bounds_first || i == 0;
    }
  }

  void add(const conjunction& other, conjunction& to) const {
    for (std::size_t i = 0; i < to.fields.size(); ++i) {
      if (!other.fields[i].is_everything()) narrow(i, other.fields[i], to);
    }
    to.is_empty = to.is_empty && other.is_empty;
    to.bounds_first = to.bounds_first || other.bounds_first;
  }

  /// Lists may be long: copied unchanged if the field has no bounds yet.
  void narrow(std::size_t field, value_set by, conjunction& to) const {
    value_set& set = to.fields[field];
    if (set.is_everything()) {
      set = std::move(by);
      return;
    }
    set = set.and_also(by);
  }

  [[nodiscard]] conjunction nothing_said() const { return conjunction{key_.parts().size()}; }

  const shard_key& key_;
  const targeting_terms& terms_;
};

/// The equalities of a conjunction, by path.
using equalities = std::map<std::string, const value*, std::less<>>;

/// Collects those on the key's fields and their parents. False if they can't pin the key: one
/// is below a field, or occurs twice.
bool gather_equalities(const filter_node& node, const shard_key& key, equalities& out) {
  if (node.kind == filter_kind::all_of) {
    return std::ranges::all_of(
        node.parts, [&](const filter_node& each) { return gather_equalities(each, key, out); });
  }
  if (node.kind != filter_kind::equal) return true;
  bool is_key_field = false;
  for (const shard_key::part& each : key.parts()) {
    if (node.path.starts_with(each.name + ".")) return false;
    is_key_field =
        is_key_field || each.name == node.path || each.name.starts_with(node.path + ".");
  }
  if (!is_key_field) return true;
  for (const auto& [path, operand] : out) {
    if (node.path == path || node.path.starts_with(path + ".")) return false;
  }
  out.emplace(node.path, &node.operand);
  return true;
}

/// The value of a field according to the equalities: one on itself, or on the nearest parent.
const value* equality_of(const shard_key::part& part, const equalities& known) {
  for (std::size_t length = part.path.size(); length > 0; --length) {
    std::string path = part.path.front();
    for (std::size_t i = 1; i < length; ++i) path += "." + part.path[i];
    const auto found = known.find(path);
    if (found == known.end()) continue;
    if (length == part.path.size()) return found->second;
    const auto* parent = found->second->as<document>();
    return parent == nullptr ? nullptr
                             : plain_path(*parent, path_view{part.path}.subspan(length));
  }
  return nullptr;
}

}  // namespace

std::optional<key_bounds> bounds_of_key(const filter_node& filter, const shard_key& key,
                                        const targeting_terms& terms) {
  return planner{key, terms}.plan(filter, {}, conjunction{key.parts().size()});
}

std::optional<array> pinned_values(const filter_node& filter, const shard_key& key) {
  equalities known;
  if (!gather_equalities(filter, key, known)) return std::nullopt;
  array out;
  for (const shard_key::part& each : key.parts()) {
    const value* found = equality_of(each, known);
    if (found == nullptr || found->is<array>() || found->is<regex>() ||
        found->is<undefined>()) {
      return std::nullopt;
    }
    out.push_back(*found);
  }
  return out;
}

}  // namespace scattergate::sim
