#pragma once

#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// A write with a filter: an update or delete statement, a findAndModify, or an update or
/// delete operation of a bulkWrite.
struct filtered_write {
  enum class kind : std::uint8_t { update, delete_, find_and_modify } is = kind::update;
  wire::document_view filter;
  std::optional<wire::element> update;  ///< the update or replacement; std::nullopt for a
                                        ///< deletion
  std::optional<wire::element> collation;
  const let_variables* let = nullptr;
  bool multi = false;
  bool upsert = false;
  bool has_sort = false;       ///< has a sort; read only for a findAndModify
  bool has_constants = false;  ///< has `c`, in a bulkWrite `constants`: variables for an update
                               ///< pipeline
  bool has_valid_arguments = true;  ///< no argument has an invalid value, with which mongos
                                    ///< rejects the write
};

/// Judges a write on the collection `on`: finds the shards that mongos sends it to, and whether
/// mongos rejects it (mongo: collection_routing_info_targeter.cpp, targetUpdate and
/// targetDelete; write_without_shard_key_util.cpp).
[[nodiscard]] statement judge(const filtered_write& write, const collection& on,
                              const judging_context& context) noexcept;

/// Judges the insertion of a document into the collection `on`, by the document's shard key
/// values.
[[nodiscard]] statement judge_insert(wire::document_view document, const collection& on,
                                     const judging_context& context) noexcept;

}  // namespace scattergate::routing
