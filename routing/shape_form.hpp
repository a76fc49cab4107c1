#pragma once

#include <cstdint>

namespace scattergate::routing {

/// How a command's shape represents one of the command's values. The shape is the command
/// without values: each value is replaced by its type, such as "?number" (rules:
/// docs/shapes.md).
enum class form : std::uint8_t {
  literal,   ///< the value's type; an embedded document keeps its fields and their order
  left_out,  ///< the field is omitted
  // documents whose fields are sorted by name
  filter,            ///< conditions on fields, and operators such as $or
  predicate,         ///< a condition on one field: operators, or a literal as in {a: 5}
  expression,        ///< an aggregation expression; field paths are kept
  projection,        ///< inclusions, exclusions and expressions
  update,            ///< an update: operators, a pipeline, or a replacement document
  update_fields,     ///< the operand of an update operator such as $set
  renames,           ///< the operand of $rename
  operator_operand,  ///< the operand of an update operator for one field: 1 in {$inc: {n: 1}}
  options,           ///< a stage's named arguments, or one field path
  facets,            ///< the operand of $facet: pipelines by name
  collation,         ///< a collation; keywords and flags are kept
  arguments,         ///< a command's arguments
  statement,         ///< a statement of a batch, or an index of a createIndexes
  stage,             ///< a stage of a pipeline
  // lists
  filters,  ///< branches of $and, $or or $nor; equal branches are written once, at the place of
            ///< the first
  statements,  ///< statements of a batch; equal statements are written once, at the place of
               ///< the first
  pipeline,    ///< stages, in order
  names,  ///< a field's or collection's name, a list of names, or a document of options; names
          ///< are kept
  // all other values
  ordered,       ///< a sort or key pattern: fields in order; directions are kept
  hint,          ///< a key pattern: fields in order, directions are kept; or an index's name,
                 ///< which becomes its type, except `_id_`
  meta,          ///< the operand of $meta; MongoDB's keywords are kept
  locale,        ///< a collation's locale; kept if MongoDB knows it
  strength,      ///< a collation's strength; 1 to 5 are kept
  merge_action,  ///< $merge's action for matching or other documents: a keyword, which is kept,
                 ///< or a pipeline
  flag,          ///< a boolean argument: `true`, or omitted if false
  bound,         ///< a limit or skip: the value's type, or omitted if 0
  one_or_all,    ///< the limit of a delete statement: 0 or 1
  target,  ///< a bulkWrite operation's index into `nsInfo`; the namespace at that index is kept
  documents,  ///< an insert's documents: "?documents"
  document,   ///< one document to insert: "?document"
};

}  // namespace scattergate::routing
