#include "digest/sketch/statements.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "routing/command_kind.hpp"

namespace scattergate::digest {
namespace {

using wire::document_reader;
using wire::document_view;
using wire::element;

/// Below $and conditions may stand in lists of lists; no deeper.
constexpr int most_depth = 4;

bool is_mongodbs_own(std::string_view database) noexcept {
  return database == "admin" || database == "config" || database == "local";
}

/// The documents of a batch, in the body or beside it, as far as `left` bytes go.
template <typename Take>
bool for_each_of(const wire::command& command, std::string_view list, std::size_t left,
                 const Take& take) {
  const auto spend = [&left](document_view one) {
    const bool is_enough = one.size_bytes() <= left;
    left -= is_enough ? one.size_bytes() : left;
    return is_enough;
  };
  for (const wire::document_sequence& sequence : command.sequences) {
    if (sequence.identifier != list) continue;
    wire::sequence_reader reader{sequence.documents};
    for (document_view one; reader.next(one);) {
      if (!spend(one)) return false;
      take(one);
    }
    return true;
  }
  const auto field = wire::find_field(command.body, list);
  const auto array = field ? field->as_array() : std::nullopt;
  if (!array) return true;
  document_reader reader{*array};
  for (element item; reader.next(item);) {
    const auto one = item.as_document();
    if (!one) continue;
    if (!spend(*one)) return false;
    take(*one);
  }
  return true;
}

document_view document_in(document_view of, std::string_view name) noexcept {
  const auto field = wire::find_field(of, name);
  return (field ? field->as_document() : std::nullopt).value_or(document_view{});
}

/// The filter of the $match that a pipeline begins with.
document_view leading_match(document_view body) noexcept {
  const auto pipeline = wire::find_field(body, "pipeline");
  const auto stages = pipeline ? pipeline->as_array() : std::nullopt;
  if (!stages) return {};
  document_reader reader{*stages};
  element first;
  const auto stage = reader.next(first) ? first.as_document() : std::nullopt;
  return stage ? document_in(*stage, "$match") : document_view{};
}

/// The namespaces of a bulkWrite.
class namespace_list {
 public:
  explicit namespace_list(const wire::command& command, std::size_t most_bytes) {
    (void)for_each_of(command, "nsInfo", most_bytes, [this](document_view info) {
      const auto name = wire::find_field(info, "ns");
      if (size_ == names_.size() || !name) return;
      names_[size_++] = name->as_string();
    });
  }

  [[nodiscard]] std::optional<wire::namespace_view> at(const element& index) const noexcept {
    const std::int64_t place = index.as_int64().value_or(-1);
    if (place < 0 || static_cast<std::uint64_t>(place) >= size_) return std::nullopt;
    return wire::namespace_view::of(names_[static_cast<std::size_t>(place)]);
  }

 private:
  std::array<std::string_view, 16> names_;
  std::size_t size_ = 0;
};

bool for_each_operation(const wire::command& command, const routing::command_facts& facts,
                        std::size_t most_bytes, statement_taker& to) {
  const namespace_list names{command, most_bytes};
  return for_each_of(command, facts.batch, most_bytes, [&](document_view one) {
    document_reader reader{one};
    element first;
    if (!reader.next(first)) return;
    const auto in = names.at(first);
    if (!in || is_mongodbs_own(in->database)) return;
    const bool is_insert = first.key() == "insert";
    to.on_statement(
        {*in, document_in(one, is_insert ? facts.document : facts.filter), is_insert});
  });
}

/// What a filter's field is equal to; nothing where it isn't one value.
std::optional<element> pinned_by(const element& field) noexcept {
  const auto inside = field.as_document();
  if (!inside || inside->is_empty()) return field;
  document_reader reader{*inside};
  element first;
  if (!reader.next(first)) return std::nullopt;
  if (!first.key().starts_with('$')) return field;  // equal to a document
  if (first.key() == "$eq") return first;
  const auto list = first.key() == "$in" ? first.as_array() : std::nullopt;
  if (!list) return std::nullopt;
  document_reader items{*list};
  element only;
  element further;
  if (!items.next(only) || items.next(further)) return std::nullopt;
  return only;
}

bool can_be_sketched(const element& value) noexcept {
  using wire::bson_type;
  return !value.is_array() && value.type() != bson_type::regex &&
         value.type() != bson_type::undefined;
}

void find_in_filter(document_view filter, sketched_fields& fields, found_values& to,
                    int depth) {
  document_reader reader{filter};
  for (element field; reader.next(field);) {
    const std::string_view path = field.key();
    if (path == "$and" && depth < most_depth) {
      const auto list = field.as_array();
      document_reader items{list.value_or(document_view{})};
      for (element item; items.next(item);) {
        const auto one = item.as_document();
        if (one) find_in_filter(*one, fields, to, depth + 1);
      }
    }
    if (path.empty() || path.starts_with('$')) continue;
    const auto value = pinned_by(field);
    if (!value || !can_be_sketched(*value)) continue;
    const std::size_t place = fields.take(path);
    if (place == sketched_fields::none) {
      if (to.refused != UINT16_MAX) ++to.refused;
    } else if ((to.given >> place & 1U) == 0) {
      to.given |= static_cast<field_bits>(1U << place);
      to.at[place] = {*value, field.value().data()};
    }
  }
}

std::string_view root_of(std::string_view path) noexcept {
  return path.substr(0, path.find('.'));
}

std::string_view behind_root(std::string_view path) noexcept {
  return path.substr(std::min(root_of(path).size() + 1, path.size()));
}

void find_in_document(document_view document, const sketched_fields& fields, found_values& to) {
  const auto all = static_cast<field_bits>((1U << fields.size()) - 1);
  unsigned missing = all;
  document_reader reader{document};
  for (element field; missing != 0 && reader.next(field);) {
    for (unsigned rest = missing; rest != 0; rest &= rest - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(rest));
      const std::string_view path = fields.path(place);
      if (root_of(path) != field.key()) continue;
      to.at[place] = {value_at(field, behind_root(path)), field.value().data()};
      missing &= ~(1U << place);
    }
  }
  for (unsigned rest = missing; rest != 0; rest &= rest - 1) {
    to.at[static_cast<std::size_t>(std::countr_zero(rest))] = {};
  }
  for (unsigned rest = all; rest != 0; rest &= rest - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(rest));
    if (can_be_sketched(to.at[place].is)) to.given |= static_cast<field_bits>(1U << place);
  }
}

}  // namespace

bool for_each_statement(const wire::command& command, std::size_t most_bytes,
                        statement_taker& to) {
  using routing::batch_items;
  const auto kind = routing::kind_of(command.name);
  const auto& facts = routing::facts_of(kind);
  if (routing::family_of(kind) != routing::command_family::routed) return true;
  if (facts.holds == batch_items::operations) {
    return for_each_operation(command, facts, most_bytes, to);
  }
  const auto in = command.ns();
  if (in.collection.empty() || is_mongodbs_own(in.database)) return true;
  if (facts.holds == batch_items::none) {
    to.on_statement({in, facts.filter.empty() ? leading_match(command.body)
                                              : document_in(command.body, facts.filter)});
    return true;
  }
  const bool is_insert = facts.holds == batch_items::documents;
  return for_each_of(command, facts.batch, most_bytes, [&](document_view one) {
    to.on_statement({in, is_insert ? one : document_in(one, facts.filter), is_insert});
  });
}

found_values find_values(const statement& of, sketched_fields& fields) {
  found_values found;
  found.is_insert = of.is_insert;
  if (of.is_insert) {
    find_in_document(of.document, fields, found);
  } else {
    find_in_filter(of.document, fields, found, 0);
  }
  return found;
}

element value_at(const element& top, std::string_view path) noexcept {
  element at = top;
  while (!path.empty()) {
    const auto inside = at.as_document();
    const auto next = inside ? wire::find_field(*inside, root_of(path)) : std::nullopt;
    if (!next) return at.is_array() ? at : element{};  // no shard key goes through an array
    at = *next;
    path = behind_root(path);
  }
  return at;
}

void hash_into(statement_values& to, std::size_t place, const element& value,
               const salt& by) noexcept {
  const auto hash = hash_of(value, by);
  if (!hash) return;
  to.given |= static_cast<field_bits>(1U << place);
  to.hashes[place] = *hash;
  if (to.is_insert) to.orders[place] = order_of(value);
}

statement_values hashed(const found_values& found, const salt& by) noexcept {
  statement_values made;
  made.is_insert = found.is_insert;
  made.refused = found.refused;
  for (unsigned rest = found.given; rest != 0; rest &= rest - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(rest));
    hash_into(made, place, found.at[place].is, by);
  }
  return made;
}

}  // namespace scattergate::digest
