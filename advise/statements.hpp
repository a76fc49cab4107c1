#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {

/// A field, and one value to which a filter limits it by equality. A `$in` list gives one
/// pinned_value for each member.
struct pinned_value {
  std::string path;     ///< the field's dotted path
  wire::element value;  ///< a view into the command
};

/// One statement of a command: a query, an update, a delete or a new document. A find has one
/// statement, a batch several. Contains views into the command.
struct statement {
  wire::document_view filter;             ///< for an insert: the new document
  std::optional<wire::element> update{};  ///< the update document or pipeline; empty: no update
  bool is_insert = false;                 ///< a new document, not a filter
  bool is_multi = false;                  ///< an update or delete of all documents that match
};

/// Calls `visit` for each statement of the command. Skips unreadable statements.
void for_each_statement(const wire::command& command,
                        const std::function<void(const statement&)>& visit);

/// Calls `visit` for each statement of a command, with a command that contains only this
/// statement. If the command is a batch of several updates, deletes or bulkWrite operations,
/// makes a command for each of them. Otherwise passes the unchanged command with each of its
/// statements. The views are valid during the call of `visit` only.
void for_each_alone(const wire::command& command,
                    const std::function<void(const wire::command&, const statement&)>& visit);

/// The values to which a filter limits fields by equality, `$eq` or `$in`, including within
/// `$and`. Each member of an `$in` list is one value. Returns at most 1,000 values.
[[nodiscard]] std::vector<pinned_value> pinned_values(wire::document_view filter);

/// Whether an update may change a document's key. `pinned`: the pinned_values() of the
/// statement's filter. False for operators or a pipeline that assign key fields only the values
/// to which the filter pins them. False for a replacement document that has all key fields (it
/// may lack _id) and contradicts no pinned value.
[[nodiscard]] bool may_change(const shard_key& key, const wire::element& update,
                              const std::vector<pinned_value>& pinned);

}  // namespace scattergate::advise
