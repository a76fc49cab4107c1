#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {

/// A field and the value to which a filter pins it by equality. A `$in` list gives one for
/// each member.
struct pinned_value {
  std::string path;     ///< the field's dotted path
  wire::element value;  ///< a view into the command
};

/// One statement of a command: a query, an update, a delete or a new document. Contains views
/// into the command.
struct statement {
  wire::document_view filter;             ///< for an insert: the new document
  std::optional<wire::element> update{};  ///< the update document or pipeline; empty: no update
  bool is_insert = false;                 ///< a new document, not a filter
  bool is_multi = false;                  ///< an update or delete of all documents that match
};

/// Calls `visit` for each statement of the command. Skips unreadable statements.
void for_each_statement(const wire::command& command,
                        const std::function<void(const statement&)>& visit);

/// Splits a batch: calls `visit` for each update, delete or bulkWrite operation of the batch,
/// with a separate command that contains only this statement, and with the statement. For any
/// other command, and for a batch of one, passes the unchanged command with each of its
/// statements. The views are valid during the call of `visit` only.
void for_each_alone(const wire::command& command,
                    const std::function<void(const wire::command&, const statement&)>& visit);

/// The values to which a filter pins fields: by equality, `$eq` or `$in`, including within
/// `$and`. Each member of an `$in` list is one value. Returns at most 1,000 values.
[[nodiscard]] std::vector<pinned_value> pinned_values(wire::document_view filter);

/// Whether the update may change a document's key. False if it sets key fields only to the
/// values to which the filter pins these fields. `pinned`: the filter's pinned_values().
[[nodiscard]] bool may_change(const shard_key& key, const wire::element& update,
                              const std::vector<pinned_value>& pinned);

}  // namespace scattergate::advise
