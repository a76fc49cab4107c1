#include "sim/storage/targeting.hpp"

#include <algorithm>

#include "sim/query/matcher.hpp"
#include "sim/storage/intervals.hpp"
#include "sim/storage/key_hash.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// More combinations than this are widened to a range, as mongos does beyond four million.
constexpr std::size_t max_combinations = 100'000;

/// A closed range of positions on the key.
struct span_of_key {
  array from;
  array to;
};

/// Gathers what a filter says about each field of the key.
class key_reader {
 public:
  key_reader(const shard_key& key, bool compares_simply)
      : key_(key),
        compares_simply_(compares_simply),
        sets_(key.parts().size(), value_set::everything()),
        pins_(sets_) {}

  void read(const document& filter) {
    for (const field& each : filter) {
      if (each.name == "$and") {
        read_branches(each.content);
      } else if (each.name == "$or") {
        read_or(each.content);
      } else if (each.name == "$expr") {
        read_expression(each.content);
      } else if (!each.name.starts_with('$')) {
        read_field(each);
      }
    }
  }

  [[nodiscard]] bool is_pinned() const {
    return std::all_of(pins_.begin(), pins_.end(), [](const value_set& each) {
      return each.is_points() && each.parts().size() == 1 &&
             !each.parts().front().from.is<array>();
    });
  }

  /// The ranges to ask; empty where nothing can match.
  [[nodiscard]] std::vector<span_of_key> spans() const {
    return is_pinned() ? flatten(pins_) : bounds();
  }

 private:
  /// Without a look at what the whole key equals: a branch of several doesn't pin it.
  [[nodiscard]] std::vector<span_of_key> bounds() const {
    if (branches_.empty() || !sets_.front().is_everything()) return flatten(sets_);
    std::vector<span_of_key> out;
    for (const document* branch : branches_) {
      key_reader narrower = *this;
      narrower.branches_.clear();
      narrower.read(*branch);
      const auto more = narrower.bounds();
      out.insert(out.end(), more.begin(), more.end());
    }
    return out;
  }

  void read_branches(const value& operand) {
    const auto* members = operand.as<array>();
    if (members == nullptr) return;
    for (const value& each : *members) {
      if (const auto* inner = each.as<document>()) read(*inner);
    }
  }

  void read_or(const value& operand) {
    const auto* members = operand.as<array>();
    if (members == nullptr) return;
    if (members->size() == 1) return read_branches(operand);
    if (!branches_.empty()) return;  // one $or is enough to be right
    for (const value& each : *members) {
      if (const auto* inner = each.as<document>()) branches_.push_back(inner);
    }
  }

  void read_field(const field& each) {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const shard_key::part& part = key_.parts()[i];
      if (each.name == part.name) {
        read_predicate(i, each.content);
      } else if (part.name.starts_with(each.name + ".")) {
        read_parent(i, part, each.content);
      }
    }
  }

  /// `{a: {b: 1}}` says what a.b is, but counts only where the whole key is pinned.
  void read_parent(std::size_t index, const shard_key::part& part, const value& parent) {
    const auto* content = parent.as<document>();
    if (content == nullptr || is_operator_document(parent) || !compares_simply_) return;
    const value* found = plain_path(*content, path_view{part.path}.subspan(1));
    pins_[index] = pins_[index].and_also(value_set::point(found == nullptr ? value{} : *found));
  }

  void read_predicate(std::size_t index, const value& operand) {
    if (const auto* pattern = operand.as<regex>()) {
      return narrow(index, values_for("$regex", *pattern, compares_simply_));
    }
    if (!is_operator_document(operand)) return read_operator(index, "$eq", operand);
    const auto& operators = *operand.as<document>();
    for (const field& each : operators) {
      const auto* text = each.content.as<std::string>();
      if (each.name == "$regex" && text != nullptr) {
        const value* options = operators.find("$options");
        const auto* flags = options == nullptr ? nullptr : options->as<std::string>();
        const regex pattern{*text, flags == nullptr ? "" : *flags};
        narrow(index, values_for("$regex", pattern, compares_simply_));
      } else {
        read_operator(index, each.name, each.content);
      }
    }
  }

  void read_operator(std::size_t index, std::string_view name, const value& operand) {
    const bool names_values =
        name == "$eq" || name == "$in" || name == "$all" || name == "$exists";
    narrow(index, values_for(name, operand, compares_simply_), names_values);
    if (const value* only = only_value(name, operand)) pin(index, *only);
  }

  /// What an equality, or a list of one value, names; null where there is no such thing.
  static const value* only_value(std::string_view name, const value& operand) {
    if (name == "$eq") return &operand;
    const auto* members = operand.as<array>();
    if ((name != "$in" && name != "$all") || members == nullptr || members->empty()) {
      return nullptr;
    }
    const value& first = members->front();
    const bool is_one = std::all_of(members->begin(), members->end(), [&](const value& each) {
      return !each.is<regex>() && compare(each, first) == 0;
    });
    return is_one ? &first : nullptr;
  }

  /// Equalities alone pin a key, whatever else stands beside them.
  void pin(std::size_t index, const value& to) {
    const bool collates = to.is<std::string>() || to.is<document>() || to.is<array>();
    const bool is_void = !compares_simply_ && collates;
    pins_[index] = is_void ? value_set::nothing() : pins_[index].and_also(value_set::point(to));
  }

  void read_expression(const value& operand) {
    const auto* content = operand.as<document>();
    if (content == nullptr || content->size() != 1) return;
    const field& only = content->front();
    const auto* operands = only.content.as<array>();
    if (operands == nullptr) return;
    if (only.name == "$and") {
      for (const value& each : *operands) read_expression(each);
      return;
    }
    if (operands->size() != 2) return;
    const auto* name = (*operands)[0].as<std::string>();
    const value& constant = (*operands)[1];
    if (name == nullptr || !is_constant(constant)) return;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (*name != "$" + key_.parts()[i].name) continue;
      narrow(i, values_of_order(only.name, constant), only.name == "$eq");
      if (only.name == "$eq") pin(i, constant);
    }
  }

  [[nodiscard]] bool is_constant(const value& content) const {
    if (content.is<document>() || content.is<array>()) return false;
    const auto* text = content.as<std::string>();
    return text == nullptr || (compares_simply_ && !text->starts_with('$'));
  }

  /// Comparisons of `$expr` reach across types.
  static value_set values_of_order(std::string_view name, const value& constant) {
    if (name == "$eq") return value_set::point(constant);
    if (name == "$lt") return value_set::between({min_key{}, constant, true, false});
    if (name == "$lte") return value_set::between({min_key{}, constant});
    if (name == "$gt") return value_set::between({constant, max_key{}, false, true});
    if (name == "$gte") return value_set::between({constant, max_key{}});
    return value_set::everything();
  }

  /// A hashed field is bounded by named values only, even where a range holds but one; a
  /// contradiction between them goes unnoticed.
  void narrow(std::size_t index, const value_set& to, bool names_values = false) {
    value_set& set = sets_[index];
    const bool is_hashed = key_.parts()[index].is_hashed;
    if (is_hashed && !(names_values && (to.is_empty() || has_hashes(to)))) return;
    const value_set both = set.and_also(to);
    const bool goes_unnoticed =
        is_hashed && both.is_empty() && !set.is_empty() && !to.is_empty();
    set = goes_unnoticed ? value_set::everything() : both;
  }

  static bool has_hashes(const value_set& set) {
    return set.is_points() &&
           std::none_of(set.parts().begin(), set.parts().end(), [](const interval& each) {
             return each.from.is<array>() || each.from.is<regex>();
           });
  }

  [[nodiscard]] value_set on_key(std::size_t index, const value_set& set) const {
    if (!key_.parts()[index].is_hashed || !set.is_points()) return set;
    std::vector<value> hashes;
    for (const interval& each : set.parts()) hashes.emplace_back(key_hash(each.from));
    return value_set::points(std::move(hashes));
  }

  /// Points multiply while all fields before are points; from the first range on, later
  /// fields only move its ends (mongo: flattenBounds).
  [[nodiscard]] std::vector<span_of_key> flatten(const std::vector<value_set>& sets) const {
    std::vector<span_of_key> out(1);
    bool only_points = true;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const value_set set = on_key(i, sets[i]);
      if (set.is_empty()) return {};
      const auto& parts = set.parts();
      only_points = only_points && out.size() * parts.size() <= max_combinations;
      if (!only_points) {
        for (span_of_key& each : out) {
          each.from.push_back(parts.front().from);
          each.to.push_back(parts.back().to);
        }
        continue;
      }
      std::vector<span_of_key> longer;
      for (const span_of_key& each : out) {
        for (const interval& part : parts) {
          longer.push_back(each);
          longer.back().from.push_back(part.from);
          longer.back().to.push_back(part.to);
        }
      }
      out = std::move(longer);
      only_points = set.is_points();
    }
    return out;
  }

  const shard_key& key_;
  bool compares_simply_;
  std::vector<value_set> sets_;  ///< by field of the key
  std::vector<value_set> pins_;  ///< the same, equalities on parent documents included
  std::vector<const document*> branches_;
};

}  // namespace

target target_of(const document& filter, const shard_key& key, const chunk_map& chunks,
                 bool compares_simply) {
  key_reader reader{key, compares_simply};
  reader.read(filter);
  target out;
  const auto spans = reader.spans();
  for (const span_of_key& each : spans) chunks.add_owners(each.from, each.to, out.shards);
  // What nothing can match is still asked of somebody.
  if (spans.empty()) out.shards.insert(chunks.all().front().owner);
  out.is_point = reader.is_pinned();
  return out;
}

bool has_exact_id(const document& filter) {
  const value* id = filter.find("_id");
  if (id == nullptr || id->is<regex>()) return false;
  if (!is_operator_document(*id)) return true;
  const auto& operators = *id->as<document>();
  return operators.size() == 1 && operators.front().name == "$eq";
}

}  // namespace scattergate::sim
