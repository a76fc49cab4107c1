#include "digest/plain_filter.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "wire/bson_writer.hpp"

namespace scattergate::digest {
namespace {

using wire::bson_writer;
using wire::document_view;
using wire::element;

constexpr int most_filter_levels = 64;

/// The only field of a document; std::nullopt if it hasn't exactly one.
std::optional<element> only_field(document_view of) {
  wire::document_reader reader{of};
  element first;
  element second;
  if (!reader.next(first) || reader.next(second) || reader.is_corrupt()) return std::nullopt;
  return first;
}

bool is_logical(std::string_view name) {
  return name == "$and" || name == "$or" || name == "$nor";
}

/// A condition on a field: an operator with its argument; the operator is empty for a plain
/// value.
struct predicate {
  std::string_view op;
  element argument;
  bool is_missing = false;  ///< {$exists: false}
};
using predicates = std::vector<predicate>;

/// The opposite of the condition inside a $not; std::nullopt if no operator expresses it.
std::optional<predicate> opposite(document_view negated) {
  const auto inside = only_field(negated);
  if (!inside) return std::nullopt;
  if (inside->key() == "$eq") return predicate{"$ne", *inside};
  if (inside->key() == "$in") return predicate{"$nin", *inside};
  if (inside->key() == "$exists") return predicate{"$exists", *inside, true};
  return std::nullopt;
}

predicates predicates_of(const element& field) {
  const bool is_of_documents = field.key().starts_with('$');  // $expr, $text, ...
  const auto condition = is_of_documents ? std::nullopt : field.as_document();
  if (!condition || condition->is_empty()) return {{{}, field}};
  predicates all;
  wire::document_reader reader{*condition};
  for (element one; reader.next(one);) {
    if (!one.key().starts_with('$')) return {{{}, field}};
    const auto negated = one.key() == "$not" ? one.as_document() : std::nullopt;
    const auto plain = negated ? opposite(*negated) : std::nullopt;
    all.push_back(plain ? *plain : predicate{one.key(), one});
  }
  if (reader.is_corrupt()) return {{{}, field}};
  return all;
}

/// The conditions on each field, in order.
using fields = std::vector<std::pair<std::string_view, predicates>>;

/// Merges the members of an $and into the fields of one document; std::nullopt if a field would
/// have the same operator twice.
std::optional<fields> merged(document_view list) {
  fields all;
  std::map<std::string_view, std::size_t> places;
  std::set<std::pair<std::string_view, std::string_view>> known;
  wire::document_reader reader{list};
  for (element member; reader.next(member);) {
    const auto inside = member.as_document();
    const auto field = inside ? only_field(*inside) : std::nullopt;
    if (!field) return std::nullopt;
    const std::string_view name = field->key();
    const auto [place, is_new] = places.try_emplace(name, all.size());
    if (is_new) all.emplace_back(name, predicates{});
    predicates& of = all[place->second].second;
    for (const predicate& one : predicates_of(*field)) {
      const bool can_share = !one.op.empty() && (of.empty() || !of.front().op.empty());
      if (!known.emplace(name, one.op).second || (!is_new && !can_share)) return std::nullopt;
      of.push_back(one);
    }
  }
  if (all.empty() || reader.is_corrupt()) return std::nullopt;
  return all;
}

class filter_writer {
 public:
  [[nodiscard]] bool write(document_view filter, int level) {
    if (level == most_filter_levels) return false;
    const auto only = only_field(filter);
    const auto list = only && only->key() == "$and" ? only->as_array() : std::nullopt;
    if (const auto together = list ? merged(*list) : std::nullopt) {
      return std::all_of(together->begin(), together->end(), [&](const auto& field) {
        return write_field(field.first, field.second, level);
      });
    }
    wire::document_reader reader{filter};
    for (element field; reader.next(field);) {
      if (!write_field(field.key(), predicates_of(field), level)) return false;
    }
    return !reader.is_corrupt();
  }

  bson_writer to;

 private:
  [[nodiscard]] bool write_field(std::string_view name, const predicates& all, int level) {
    const element& first = all.front().argument;
    const auto branches = is_logical(name) ? first.as_array() : std::nullopt;
    if (branches) return write_branches(name, *branches, level);
    if (all.size() == 1 && (all.front().op.empty() || is_equality(all.front()))) {
      to.copy(name, first);
      return true;
    }
    to.open_document(name);
    for (const predicate& one : all) {
      if (!write_predicate(one, level)) return false;
    }
    to.close();
    return true;
  }

  /// Whether the condition equals a plain value. {$eq: /x/} doesn't: it differs from /x/.
  [[nodiscard]] static bool is_equality(const predicate& one) {
    return one.op == "$eq" && one.argument.as_string() != "?regex";
  }

  [[nodiscard]] bool write_predicate(const predicate& one, int level) {
    if (one.is_missing) {
      to.boolean(one.op, false);
      return true;
    }
    const auto types = one.op == "$type" ? one.argument.as_array() : std::nullopt;
    if (const auto type = types ? only_field(*types) : std::nullopt) {
      to.copy(one.op, *type);
      return true;
    }
    const auto inside = one.op == "$elemMatch" ? one.argument.as_document() : std::nullopt;
    const auto field = inside ? only_field(*inside) : std::nullopt;
    // Conditions on values keep their operators; conditions on documents are filters.
    if (!field || (field->key().starts_with('$') && !is_logical(field->key()))) {
      to.copy(one.op, one.argument);
      return true;
    }
    to.open_document(one.op);
    if (!write(*inside, level + 1)) return false;
    to.close();
    return true;
  }

  [[nodiscard]] bool write_branches(std::string_view name, document_view list, int level) {
    to.open_array(name);
    wire::document_reader reader{list};
    for (element branch; reader.next(branch);) {
      const auto filter = branch.as_document();
      if (!filter) return false;
      to.open_document(branch.key());
      if (!write(*filter, level + 1)) return false;
      to.close();
    }
    to.close();
    return !reader.is_corrupt();
  }
};

}  // namespace

std::optional<std::vector<std::byte>> plain_filter(document_view parsed) {
  filter_writer made;
  if (!made.write(parsed, 0)) return std::nullopt;
  return made.to.take();
}

}  // namespace scattergate::digest
