#pragma once

#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// A write with a filter: a statement of an update or delete, a findAndModify, or an operation
/// of a bulkWrite.
struct filtered_write {
  enum class kind : std::uint8_t { update, delete_, find_and_modify } is = kind::update;
  wire::document_view filter;
  std::optional<wire::element> update;  ///< the new content, if known
  std::optional<wire::element> collation;
  const let_variables* let = nullptr;
  bool multi = false;
  bool upsert = false;
  bool has_sort = false;       ///< for a findAndModify
  bool has_constants = false;  ///< `c`, or `constants` of a bulkWrite
  bool is_possible = true;     ///< no argument has a value that mongos rejects
};

/// Judges a write: its target, and whether mongos rejects it (mongo:
/// collection_routing_info_targeter.cpp, targetUpdate and targetDelete;
/// write_without_shard_key_util.cpp).
[[nodiscard]] statement judge(const filtered_write& write, const collection& on,
                              const judging& with) noexcept;

/// Judges the insertion of a document, by its own key values.
[[nodiscard]] statement judge_insert(wire::document_view document, const collection& on,
                                     const judging& with) noexcept;

}  // namespace scattergate::routing
