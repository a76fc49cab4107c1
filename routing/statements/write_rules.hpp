#pragma once

#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// A write that finds its documents by a filter: one statement of update or delete, a
/// findAndModify, an op of a bulkWrite.
struct filtered_write {
  enum class kind : std::uint8_t { update, delete_, find_and_modify } is = kind::update;
  wire::document_view filter;
  std::optional<wire::element> update;  ///< what is to be written, where that is known
  std::optional<wire::element> collation;
  const let_variables* let = nullptr;
  bool multi = false;
  bool upsert = false;
  bool has_sort = false;       ///< of a findAndModify
  bool has_constants = false;  ///< `c`, or `constants` of a bulkWrite
  bool is_translated = false;  ///< the filter is of buckets, with an $expr of mongos's own
  bool is_possible = true;     ///< no argument has a value that mongos doesn't take
};

/// Where mongos takes the write, and whether it refuses it (mongo:
/// collection_routing_info_targeter.cpp, targetUpdate and targetDelete;
/// write_without_shard_key_util.cpp).
[[nodiscard]] statement judge(const filtered_write& write, const collection& on,
                              const judging& with) noexcept;

/// Where mongos takes a new document: by its own key values.
[[nodiscard]] statement judge_insert(wire::document_view document, const collection& on,
                                     const judging& with) noexcept;

}  // namespace scattergate::routing
