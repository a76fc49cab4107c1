#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/shard_key.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {

/// A value that a filter pins a field to, or one of several; or that a new document has.
struct pinned_value {
  std::string path;
  wire::element value;
};

/// One statement of a command: a query, an update, a delete, a new document.
struct statement {
  wire::document_view filter;             ///< of an insert: the document
  std::optional<wire::element> update{};  ///< of an update
  bool is_insert = false;
  bool is_multi = false;
};

/// Calls `visit` for each statement of the command that can be read; views into the command.
void for_each_statement(const wire::command& command,
                        const std::function<void(const statement&)>& visit);

/// What the filter pins by equality, by `$eq` and by `$in`, through `$and` as well. A list's
/// members each count. Bounded in depth and number.
[[nodiscard]] std::vector<pinned_value> pinned_values(wire::document_view filter);

/// The value at a dotted path of a document; nothing where an array stands on the way.
[[nodiscard]] std::optional<wire::element> value_at(wire::document_view document,
                                                    std::string_view path);

/// Whether the update may change a field of the key to another value than `pinned` has.
[[nodiscard]] bool may_change(const shard_key& key, const wire::element& update,
                              const std::vector<pinned_value>& pinned);

}  // namespace scattergate::advise
