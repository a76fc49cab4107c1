#pragma once

#include <cstdint>

namespace scattergate::routing {

/// The form of a value in a shape (rules: docs/shapes.md).
enum class form : std::uint8_t {
  literal,   ///< its type; an embedded document with its fields in order
  left_out,  ///< omitted
  // documents whose fields are sorted by name
  filter,         ///< a query's conjunction
  predicate,      ///< a filter's condition on one field: operators or a literal
  expression,     ///< an aggregation expression, with its field paths
  projection,     ///< inclusions, exclusions and expressions
  update,         ///< operators, a pipeline, or a replacement
  update_fields,  ///< the operand of one update operator
  renames,        ///< the operand of $rename
  assigned,       ///< the effect of an update operator on one field
  options,        ///< a stage's arguments by name, or a field path
  facets,         ///< pipelines by name
  collation,      ///< with its keywords and flags
  arguments,      ///< a command's arguments
  statement,      ///< a statement of a batch, or an index
  stage,          ///< a stage of a pipeline
  // lists
  filters,     ///< distinct members, in order of first appearance
  statements,  ///< distinct members, in order of first appearance
  pipeline,    ///< stages, in order
  names,       ///< a name, or names in order, or options
  // the rest
  ordered,     ///< a sort or key pattern: fields in order, with directions
  hint,        ///< a key pattern; an index's name as its type, except `_id_`
  meta,        ///< the operand of $meta, with MongoDB's keywords
  locale,      ///< a collation's, if MongoDB knows it
  strength,    ///< a collation's: 1 to 5
  on_match,    ///< what a $merge does: MongoDB's keywords, or a pipeline
  flag,        ///< true, or omitted
  bound,       ///< its type, omitted if 0 (limit, skip)
  one_or_all,  ///< 0 or 1: a delete's limit
  target,      ///< the namespace that an op of a bulkWrite refers to by index
  documents,   ///< "?documents"
  document,    ///< "?document"
};

}  // namespace scattergate::routing
