#pragma once

#include <cstdint>

namespace scattergate::routing {

/// How a shape writes a value (docs/shapes.md says the same in words).
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
  options,        ///< a stage's arguments by name, or a field path
  facets,         ///< pipelines by name
  collation,      ///< its words and flags kept
  arguments,      ///< a command's
  statement,      ///< a batch's statement's, or an index's
  stage,          ///< of a pipeline
  // lists
  filters,     ///< distinct ones in order of first appearance
  statements,  ///< distinct ones in order of first appearance
  pipeline,    ///< stages, in order
  names,       ///< a name, or names in order, or options
  // the rest
  ordered,     ///< a sort or key pattern: fields in order, directions kept
  hint,        ///< a key pattern, or an index's name: its type, but for `_id_`
  meta,        ///< what stands behind $meta: MongoDB's words kept
  locale,      ///< a collation's: those that MongoDB knows kept
  strength,    ///< a collation's: 1 to 5
  on_match,    ///< what a $merge does: MongoDB's words kept, or a pipeline
  flag,        ///< true, or left out
  bound,       ///< its type, left out where 0 (limit, skip)
  one_or_all,  ///< 0 or 1: a delete's limit
  target,      ///< the namespace that a bulkWrite's op names by its index
  documents,   ///< "?documents"
  document,    ///< "?document"
};

}  // namespace scattergate::routing
