#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {

/// A field and a value that a filter pins it to by equality (one of several for `$in`), or a
/// new document's value.
struct pinned_value {
  std::string path;
  wire::element value;
};

/// One statement of a command: a query, an update, a delete or a new document.
struct statement {
  wire::document_view filter;             ///< for an insert: the document
  std::optional<wire::element> update{};  ///< for an update
  bool is_insert = false;
  bool is_multi = false;
};

/// Calls `visit` for each readable statement of the command, with views into the command.
void for_each_statement(const wire::command& command,
                        const std::function<void(const statement&)>& visit);

/// Splits a batch: calls `visit` with each of its updates, deletes or bulkWrite operations as
/// a separate command. Passes any other command unchanged, with its statement. The views are
/// valid during the call.
void for_each_alone(const wire::command& command,
                    const std::function<void(const wire::command&, const statement&)>& visit);

/// The values that a filter pins fields to, by equality, `$eq` or `$in`, including within
/// `$and`. Each member of an `$in` list is one value. Bounded in depth and number.
[[nodiscard]] std::vector<pinned_value> pinned_values(wire::document_view filter);

/// Whether the update may change a field of the key to a value other than `pinned`.
[[nodiscard]] bool may_change(const shard_key& key, const wire::element& update,
                              const std::vector<pinned_value>& pinned);

}  // namespace scattergate::advise
