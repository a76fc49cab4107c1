#pragma once

#include <cstdint>
#include <string_view>

/// What a part of a command looks like in a shape, by its name and where it stands
/// (docs/shapes.md says the same in words).
namespace scattergate::routing {

/// How a value is written.
enum class form : std::uint8_t {
  literal,   ///< its type; an embedded document with its fields in order
  left_out,  ///< not at all
  // documents whose fields are sorted by name
  filter,         ///< a query's conjunction
  predicate,      ///< what a filter says of one field: operators or a literal
  expression,     ///< an aggregation expression: field paths kept
  projection,     ///< in or out kept, else an expression
  update,         ///< operators, a pipeline, or a replacement
  update_fields,  ///< the operand of one update operator
  renames,        ///< the same of $rename
  assigned,       ///< what an update operator does to one field
  options,        ///< a stage's arguments by name
  facets,         ///< pipelines by name
  constant,       ///< kept, but for long strings and fractions (collations)
  arguments,      ///< a command's
  statement,      ///< a batch's statement's, or an index's
  stage,          ///< of a pipeline
  // lists
  filters,     ///< distinct ones in order of first appearance
  statements,  ///< likewise
  pipeline,    ///< stages, in order
  names,       ///< a name, or names in order, or options
  // the rest
  ordered,     ///< a sort, hint or key pattern: fields in order, directions and names kept
  flag,        ///< true, or left out
  bound,       ///< its type, left out where 0 (limit, skip)
  one_or_all,  ///< 0 or 1: a delete's limit
  target,      ///< the namespace that a bulkWrite's op names by its index
  documents,   ///< "?documents"
  document,    ///< "?document"
};

/// The form of the field `name` of a document that is written as `container`.
[[nodiscard]] form form_of_field(form container, std::string_view name) noexcept;

}  // namespace scattergate::routing
