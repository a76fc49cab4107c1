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
  /// The write's own collation; std::nullopt: the collection's default applies.
  std::optional<wire::element> collation;
  const let_variables* let = nullptr;  ///< the variables that expressions may use; null: none
  bool multi = false;                  ///< writes all documents that match, not only one
  bool upsert = false;                 ///< inserts a document if none matches
  bool has_sort = false;  ///< a findAndModify has a `sort`; always false for other writes
  /// The write defines variables for an update pipeline. An update defines them in its field
  /// `c`, an operation of a bulkWrite in its field `constants`.
  bool has_constants = false;
  bool has_company = false;         ///< the write isn't the only one of its command
  bool has_valid_arguments = true;  ///< false if mongos rejects the write because of an
                                    ///< argument's value
};

/// Judges a write on the collection `on`: finds the shards that mongos sends it to, and whether
/// mongos rejects it (mongo: collection_routing_info_targeter.cpp, targetUpdate and
/// targetDelete; write_without_shard_key_util.cpp).
[[nodiscard]] statement judge(const filtered_write& write, const collection& on,
                              const judging_context& context) noexcept;

/// Judges the insertion of a document into the collection `on`: finds the shard that mongos
/// sends the document to, and whether mongos rejects the insertion. Both follow from the
/// document's shard key values. The shard is unknown if it depends on an _id that mongos
/// generates.
[[nodiscard]] statement judge_insert(wire::document_view document, const collection& on,
                                     const judging_context& context) noexcept;

}  // namespace scattergate::routing
