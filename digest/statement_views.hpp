#pragma once

#include <optional>
#include <string_view>

#include "digest/pinned_values.hpp"
#include "routing/command_kind.hpp"
#include "routing/stages/stage.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

/// Finds the statements of a command, without allocating.
namespace scattergate::digest {

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
