#pragma once

#include <optional>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/stages/stage.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

/// Finds the statements of a command, without allocating.

/// Reads the values that a filter requires of fields, and the values of a document's fields,
/// without allocating.

namespace scattergate::digest {

namespace pinning {

/// The limit for the nesting depth of `$and`, and for the components of a path. Deeper filters
/// and values are ignored.
inline constexpr int most_levels = 8;

/// Whether an equality with this value pins a field to one value. False for a regular
/// expression, which matches many values, and for an array, which no shard key contains.
[[nodiscard]] inline bool is_point(const wire::element& value) noexcept {
  return value.type() != wire::bson_type::regex && !value.is_array();
}

template <typename Visit>
void visit_list(std::string_view path, const wire::element& values, Visit& visit) {
  const auto list = values.as_array();
  if (!list) return;
  wire::document_reader reader{*list};
  for (wire::element one; reader.next(one);) {
    if (is_point(one)) visit(path, one);
  }
}

template <typename Visit>
void visit_field(const wire::element& field, Visit& visit) {
  const auto operators = field.as_document();
  wire::document_reader reader{operators.value_or(wire::document_view{})};
  wire::element each;
  if (!operators || !reader.next(each) || !each.key().starts_with('$')) {
    if (is_point(field)) visit(field.key(), field);
    return;
  }
  do {
    if (each.key() == "$eq" && is_point(each)) visit(field.key(), each);
    if (each.key() == "$in") visit_list(field.key(), each, visit);
  } while (reader.next(each));
}

}  // namespace pinning

/// Calls `visit(path, value)` for each value to which a filter pins a field: by equality, `$eq`
/// or `$in`, including within `$and`. Each member of an `$in` list is one value: {a: 1, b:
/// {$in: [2, 3]}} → (a, 1), (b, 2), (b, 3). Leave out `level`, which counts the recursion
/// through `$and`.
template <typename Visit>
void for_each_pinned(wire::document_view filter, Visit&& visit, int level = 0) {
  if (level == pinning::most_levels) return;
  wire::document_reader reader{filter};
  for (wire::element field; reader.next(field);) {
    if (!field.key().starts_with('$')) {
      pinning::visit_field(field, visit);
    } else if (field.key() == "$and") {
      const auto branches = field.as_array();
      wire::document_reader list{branches.value_or(wire::document_view{})};
      for (wire::element branch; list.next(branch);) {
        if (const auto one = branch.as_document()) for_each_pinned(*one, visit, level + 1);
      }
    }
  }
}

/// The document in the field `name` of `from`; std::nullopt if there is none.
[[nodiscard]] inline std::optional<wire::document_view> document_in(wire::document_view from,
                                                                    std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field ? field->as_document() : std::nullopt;
}

/// The value at a dotted path within a value; std::nullopt if it is absent, the path crosses
/// an array, or the path has more than pinning::most_levels components.
[[nodiscard]] inline std::optional<wire::element> value_at(const wire::element& outer,
                                                           std::string_view path) {
  wire::element at = outer;
  for (int level = 0; level < pinning::most_levels; ++level) {
    const auto document = at.as_document();
    if (!document) return std::nullopt;
    const std::size_t dot = path.find('.');
    const auto found = wire::find_field(*document, path.substr(0, dot));
    if (!found || dot == path.npos) return found;
    at = *found;
    path.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

/// The value at a dotted path of a document; std::nullopt if it is absent, the path crosses an
/// array, or the path has more than pinning::most_levels + 1 components.
[[nodiscard]] inline std::optional<wire::element> value_at(wire::document_view document,
                                                           std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto found = wire::find_field(document, path.substr(0, dot));
  if (!found || dot == path.npos) return found;
  return value_at(*found, path.substr(dot + 1));
}

/// One statement of a command: a query, an update, a delete or a new document. Contains views
/// into the command.
struct statement_view {
  wire::document_view from;    ///< the statement's own document in a batch; the whole body of a
                               ///< command that isn't a batch
  wire::document_view filter;  ///< empty if there is none; for an insert, the new document
  bool is_insert = false;      ///< a new document, not a filter
};

/// Calls `visit(document)` for each member of a batch, until `visit` returns false. `name`: the
/// name of the batch's array or document sequence, for example "updates".
template <typename Visit>
void for_each_member(const wire::command& command, std::string_view name, Visit&& visit) {
  for (const wire::document_sequence& each : command.sequences) {
    if (each.identifier != name) continue;
    wire::sequence_reader reader{each.documents};
    for (wire::document_view one; reader.next(one);) {
      if (!visit(one)) return;
    }
    return;
  }
  const auto list = wire::find_field(command.body, name);
  const auto array = list ? list->as_array() : std::nullopt;
  wire::document_reader reader{array.value_or(wire::document_view{})};
  for (wire::element member; reader.next(member);) {
    const auto one = member.as_document();
    if (one && !visit(*one)) return;
  }
}

/// The statement in one operation of a bulkWrite: {update: 0, filter: {...}, ...} or {insert:
/// 0, document: {...}}. `facts`: routing::facts_of() of bulkWrite. If the operation has neither
/// a filter nor a document, the statement's filter is empty.
[[nodiscard]] inline statement_view statement_of(wire::document_view operation,
                                                 const routing::command_facts& facts) {
  wire::document_reader reader{operation};
  for (wire::element field; reader.next(field);) {
    const bool is_insert = field.key() == facts.document;
    if (!is_insert && field.key() != facts.filter) continue;
    if (const auto found = field.as_document()) return {operation, *found, is_insert};
  }
  return {operation, {}, false};
}

/// The filter of a pipeline's first stage; empty if the first stage isn't a $match.
[[nodiscard]] inline wire::document_view first_match(const wire::command& command) {
  const auto list = wire::find_field(command.body, "pipeline");
  const auto stages = list ? list->as_array() : std::nullopt;
  wire::document_reader reader{stages.value_or(wire::document_view{})};
  wire::element stage;
  const auto first = reader.next(stage) ? stage.as_document() : std::nullopt;
  wire::document_reader inner{first.value_or(wire::document_view{})};
  wire::element filter;
  if (!inner.next(filter) || routing::stage_of(filter.key()).shape != routing::form::filter) {
    return {};
  }
  return filter.as_document().value_or(wire::document_view{});
}

/// Calls `visit(statement_view)` for each statement of a command of this kind, until `visit`
/// returns false. An aggregate has one statement, with the filter first_match(). Any other
/// command whose kind has neither a filter nor documents has no statements.
template <typename Visit>
void for_each_statement(const wire::command& command, routing::command_kind kind,
                        Visit&& visit) {
  const routing::command_facts& facts = routing::facts_of(kind);
  switch (facts.holds) {
    case routing::batch_items::documents:
      return for_each_member(command, facts.batch, [&](wire::document_view each) {
        return visit(statement_view{each, each, true});
      });
    case routing::batch_items::statements:
      return for_each_member(command, facts.batch, [&](wire::document_view each) {
        const auto filter = document_in(each, facts.filter);
        return visit(statement_view{each, filter.value_or(wire::document_view{}), false});
      });
    case routing::batch_items::operations:
      return for_each_member(command, facts.batch, [&](wire::document_view each) {
        return visit(statement_of(each, facts));
      });
    case routing::batch_items::none:
      break;
  }
  if (kind == routing::command_kind::aggregate) {
    (void)visit(statement_view{command.body, first_match(command), false});
  } else if (!facts.filter.empty()) {
    const auto filter = document_in(command.body, facts.filter);
    (void)visit(statement_view{command.body, filter.value_or(wire::document_view{}), false});
  }
}

}  // namespace scattergate::digest
