#include "sim/targeting/key_bounds.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "sim/values/hashing.hpp"
#include "sim/values/path.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {
namespace {

/// Whether the text has an unescaped pipe, so that its matches may begin differently.
bool has_alternatives(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '|') continue;
    const bool is_escaped = i > 0 && text[i - 1] == '\\';
    const bool is_escape_escaped = i > 1 && text[i - 2] == '\\';
    if (!is_escaped || is_escape_escaped) return true;
  }
  return false;
}

/// The pattern after the anchor; empty without one. `options` may have m only after \A.
std::string_view after_anchor(const regex& pattern) {
  std::string_view text{pattern.pattern};
  const bool is_absolute = text.starts_with("\\A");
  if (!is_absolute && !text.starts_with('^')) return {};
  const std::string_view allowed = is_absolute ? "msx" : "sx";
  if (pattern.options.find_first_not_of(allowed) != std::string::npos) return {};
  text.remove_prefix(is_absolute ? 2 : 1);
  return has_alternatives(text) ? std::string_view{} : text;
}

/// Reads on after a backslash. False if the escape isn't a single certain text.
bool read_escaped(std::string_view& text, std::string& out) {
  if (text.empty()) return false;
  const char next = text.front();
  text.remove_prefix(1);
  if (next == 'Q') {
    const std::size_t end = text.find("\\E");
    out += text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 2);
    return true;
  }
  if (std::isalnum(static_cast<unsigned char>(next)) != 0) return false;
  out += next;
  return true;
}

/// Returns the literal text with which every match of an anchored regular expression begins:
/// "abc" for /^abc.*/. Empty if mongos detects none (mongo: IndexBoundsBuilder::simpleRegex).
std::string literal_prefix(const regex& pattern) {
  std::string_view text = after_anchor(pattern);
  const bool skips_space = pattern.options.find('x') != std::string::npos;
  std::string out;
  while (!text.empty()) {
    const char next = text.front();
    text.remove_prefix(1);
    if (next == '*' || next == '?') {
      if (!out.empty()) out.pop_back();
      return out;
    }
    if (next == '\\') {
      if (!read_escaped(text, out)) return out;
      continue;
    }
    if (std::string_view{"^$.[()+{"}.find(next) != std::string_view::npos) return out;
    if (skips_space && next == '#') return out;
    if (skips_space && std::isspace(static_cast<unsigned char>(next)) != 0) continue;
    out += next;
  }
  return out;
}

bool is_comparison(filter_kind kind) {
  return (kind >= filter_kind::equal && kind <= filter_kind::at_least) ||
         kind >= filter_kind::expression_equal;
}

bool is_equality(filter_kind kind) {
  return kind == filter_kind::equal || kind == filter_kind::expression_equal;
}

const array& members_of(const filter_node& list) {
  static const array none;
  const auto* members = list.operand.as<array>();
  return members == nullptr ? none : *members;
}

template <typename Test>
bool any_member(const filter_node& list, Test test) {
  return std::ranges::any_of(members_of(list), test);
}

/// Whether a predicate compares with something that a collation affects.
bool compares_collated(const filter_node& predicate) {
  if (is_comparison(predicate.kind)) return is_collated(predicate.operand);
  if (predicate.kind == filter_kind::in) return any_member(predicate, is_collated);
  return std::ranges::any_of(predicate.parts, compares_collated);
}

bool is_regex(const value& operand) {
  return operand.is<regex>();
}

bool is_array(const value& operand) {
  return operand.is<array>();
}

/// Whether a negation of this kind of predicate has bounds (mongo 0016f69b4674:
/// planner_ixselect.cpp, isComparisonWithArrayPred).
bool can_be_inverted(const filter_node& predicate) {
  if (is_comparison(predicate.kind)) return !is_array(predicate.operand);
  switch (predicate.kind) {
    case filter_kind::regex:
    case filter_kind::mod:
    case filter_kind::type:
    case filter_kind::some_value:
    case filter_kind::equal_hash:
      return false;
    case filter_kind::in:
      return !any_member(predicate, is_array) && !any_member(predicate, is_regex);
    default:
      return true;
  }
}

bool can_bound_hashed(const filter_node& predicate) {
  if (predicate.kind == filter_kind::in) return !any_member(predicate, is_regex);
  if (predicate.kind == filter_kind::negation) {
    return predicate.parts.front().kind == filter_kind::exists;
  }
  return is_equality(predicate.kind) || predicate.kind == filter_kind::exists ||
         predicate.kind == filter_kind::equal_hash;
}

/// The kinds that bound a field by themselves.
bool is_plain_bounding(filter_kind kind) {
  switch (kind) {
    case filter_kind::regex:
    case filter_kind::mod:
    case filter_kind::exists:
    case filter_kind::in:
    case filter_kind::type:
    case filter_kind::equal_hash:
      return true;
    default:
      return is_comparison(kind);
  }
}

value_set point_of(const value& operand, bool is_hashed) {
  return value_set::point(is_hashed ? value{key_hash(operand)} : operand);
}

/// Null also matches missing fields, and undefined in old documents. An array matches by itself
/// and by its first member, neither of them hashed.
value_set for_equality(const value& operand, bool is_hashed, const targeting_rules& rules) {
  if (operand.is<null>() && !rules.has_no_undefined) {
    return point_of(undefined{}, is_hashed).or_else(point_of(null{}, is_hashed));
  }
  const auto* members = operand.as<array>();
  if (members == nullptr) return point_of(operand, is_hashed);
  const value first = members->empty() ? value{undefined{}} : members->front();
  return value_set::point(operand).or_else(value_set::point(first));
}

bool is_nan(const value& operand) {
  return operand.is_number() && std::isnan(operand.as_double());
}

/// An array compares as a whole, or by its first member: the bounds cover both.
value_set for_array_comparison(bool is_below, const value& operand) {
  const array& members = *operand.as<array>();
  const value first = members.empty() ? value{undefined{}} : members.front();
  const bool is_higher = compare(first, operand) > 0;
  if (is_below) return value_set::between({min_key{}, is_higher ? first : operand});
  return value_set::between({is_higher ? operand : first, max_key{}});
}

/// A comparison covers only the type of its operand, except for MinKey and MaxKey.
value_set for_comparison(filter_kind kind, const value& operand, const targeting_rules& rules) {
  const bool has_end = kind == filter_kind::at_most || kind == filter_kind::at_least;
  const bool is_below = kind == filter_kind::at_most || kind == filter_kind::less;
  if (is_below ? operand.is<max_key>() : operand.is<min_key>()) {
    if (has_end || !rules.excludes_ends) return value_set::everything();
    return value_set::between({min_key{}, max_key{}, is_below, !is_below});
  }
  if (operand.is<array>()) return for_array_comparison(is_below, operand);
  // mongo: makeNullEqualityBounds.
  if (operand.is<null>() && has_end) return for_equality(operand, false, rules);
  if (is_nan(operand)) return has_end ? value_set::point(operand) : value_set::nothing();
  value lowest = min_key{};
  if (operand.is_number()) lowest = -std::numeric_limits<double>::infinity();
  return value_set::bracket(operand.type())
      .and_also(value_set::between(is_below ? interval{lowest, operand, true, has_end}
                                            : interval{operand, max_key{}, has_end, true}));
}

/// Comparisons of `$expr` cover all types. A missing field, which is stored as null, is less
/// than null (mongo a9a9338beb33: index_bounds_builder.cpp, INTERNAL_EXPR_LT).
value_set for_expression(filter_kind kind, const value& operand) {
  switch (kind) {
    case filter_kind::expression_less:
      return value_set::between({min_key{}, operand, true, operand.is<null>()});
    case filter_kind::expression_at_most:
      return value_set::between({min_key{}, operand});
    case filter_kind::expression_greater:
      return value_set::between({operand, max_key{}, false, true});
    default:
      return value_set::between({operand, max_key{}});
  }
}

value_set for_regex(const regex& pattern) {
  const value_set same = value_set::point(pattern);
  std::string prefix = literal_prefix(pattern);
  std::string after = prefix;
  while (!after.empty() && static_cast<unsigned char>(after.back()) == 0xff) after.pop_back();
  if (after.empty()) return value_set::bracket(bson_type::string).or_else(same);
  after.back() = static_cast<char>(static_cast<unsigned char>(after.back()) + 1);
  return value_set::between({std::move(prefix), std::move(after), true, false}).or_else(same);
}

value_set for_list(const filter_node& list, bool is_hashed, const targeting_rules& rules) {
  std::vector<interval> all;
  all.reserve(members_of(list).size());
  for (const value& each : members_of(list)) {
    if (is_regex(each) || is_array(each) || each.is<null>() || is_hashed) {
      const value_set one =
          is_regex(each) ? for_regex(*each.as<regex>()) : for_equality(each, is_hashed, rules);
      all.insert(all.end(), one.parts().begin(), one.parts().end());
    } else {
      all.push_back({each, each});
    }
  }
  return value_set::any_of(std::move(all));
}

value_set for_types(const value& operand) {
  value_set out = value_set::nothing();
  for (const bson_type each : types_of(operand)) {
    if (each == bson_type::array) return value_set::everything();
    out = out.or_else(value_set::bracket(each));
  }
  return out;
}

value_set for_negation(const filter_node& part, const shard_key::part& of,
                       const targeting_rules& rules) {
  if (part.kind == filter_kind::exists) return point_of(null{}, of.is_hashed);
  return bounds_of(part, of, rules).inverse();
}

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

bool is_collated(const value& operand) {
  return operand.is<std::string>() || operand.is<document>() || operand.is<array>();
}

bool is_bounding(const filter_node& predicate) {
  if (predicate.kind == filter_kind::negation) {
    const filter_node& inner = predicate.parts.front();
    return inner.kind != filter_kind::negation && is_bounding(inner);
  }
  if (predicate.kind != filter_kind::some_value) return is_plain_bounding(predicate.kind);
  return std::ranges::all_of(predicate.parts, [](const filter_node& each) {
    if (each.kind != filter_kind::negation) return is_plain_bounding(each.kind);
    const filter_node& inner = each.parts.front();
    return is_plain_bounding(inner.kind) && can_be_inverted(inner);
  });
}

bool can_bound(const filter_node& predicate, const shard_key::part& part,
               bool compares_simply) {
  if (!compares_simply && compares_collated(predicate)) return false;
  if (part.is_hashed) return can_bound_hashed(predicate);
  if (predicate.kind == filter_kind::negation) return can_be_inverted(predicate.parts.front());
  if (predicate.kind == filter_kind::equal_hash) return false;
  return predicate.kind != filter_kind::some_value ||
         std::ranges::all_of(predicate.parts, [&](const filter_node& each) {
           return can_bound(each, part, compares_simply);
         });
}

value_set bounds_of(const filter_node& predicate, const shard_key::part& part,
                    const targeting_rules& rules) {
  switch (predicate.kind) {
    case filter_kind::equal:
    case filter_kind::expression_equal:
      return for_equality(predicate.operand, part.is_hashed, rules);
    case filter_kind::in:
      return for_list(predicate, part.is_hashed, rules);
    case filter_kind::negation:
      return for_negation(predicate.parts.front(), part, rules);
    case filter_kind::regex:
      return for_regex(*predicate.operand.as<regex>());
    case filter_kind::mod:
      return value_set::bracket(bson_type::int32);
    case filter_kind::type:
      return for_types(predicate.operand);
    case filter_kind::some_value: {
      value_set out = value_set::everything();
      for (const filter_node& each : predicate.parts) {
        out = out.and_also(bounds_of(each, part, rules));
      }
      return out;
    }
    case filter_kind::at_most:
    case filter_kind::less:
    case filter_kind::greater:
    case filter_kind::at_least:
      return for_comparison(predicate.kind, predicate.operand, rules);
    case filter_kind::exists:
      return value_set::everything();
    case filter_kind::equal_hash:
      return value_set::point(predicate.operand);
    default:
      return for_expression(predicate.kind, predicate.operand);
  }
}

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
