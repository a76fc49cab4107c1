#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "text/problem.hpp"
#include "wire/bson.hpp"

/// Writes and reads the documents of the collections `shapes` and `callers` (docs/fleet.md,
/// "What the documents hold"). Each shape has several documents, its logical shards, so that
/// not all sidecars write to the same one. Readers sum them up.
namespace scattergate::fleet {

/// The flush that writes a document, the logical shard that it writes to, and the marks that
/// keep it from counting twice.
struct flush_place {
  std::string uuid;         ///< the sidecar's uuid
  std::uint64_t flush = 0;  ///< the flush's number
  std::uint32_t n = 0;      ///< the logical shard's number, from 0
  /// Whether each document stores a mark of the flush, because the server doesn't support
  /// transactions. A document with a mark isn't updated again by the same flush.
  bool has_marks = false;
  digest::wall_time keep_until{};  ///< when the flush's marks, and its documents in the
                                   ///< collection `callers`, expire
};

/// What a statement does if its document doesn't exist: nothing, or create it.
enum class when_missing : bool { skip, create };

/// A row's shape name in the database: namespace, command and shape hash, as in "shop.orders
/// find b5552500e10fa16d". Special characters are percent-encoded.
[[nodiscard]] std::string shape_name(const digest::row_key& key);
/// The `_id` of a document of the collection `shapes`: the shape name and the number of the
/// logical shard, as in "shop.orders find b5552500e10fa16d:3".
[[nodiscard]] std::string shape_id(std::string_view shape, std::uint32_t n);

/// A delta's counts of commands without a row in the digest, and of evicted rows.
struct rowless_counts {
  digest::totals sums;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;  ///< the largest count of an evicted row
};

/// The update statement that adds a row's counts, but not its callers, to the shape's document.
[[nodiscard]] std::vector<std::byte> shape_statement(const digest::row& of,
                                                     const flush_place& at,
                                                     when_missing missing);
/// The update statement that adds the counts of commands without a row to their document; see
/// rowless_shape.
[[nodiscard]] std::vector<std::byte> rowless_statement(const rowless_counts& of,
                                                       const flush_place& at,
                                                       when_missing missing);

/// One caller of a shape, and the number of commands that it has sent.
struct caller_counts {
  const digest::row* row = nullptr;  ///< the shape's row; not owned
  digest::caller who;
  bool is_others = false;  ///< `who` has only a count: that of all callers not kept separately
};
/// The update statement that adds a caller's counts to its document of the collection
/// `callers`.
[[nodiscard]] std::vector<std::byte> caller_statement(const caller_counts& of,
                                                      const flush_place& at,
                                                      when_missing missing);

/// The contents of a document of the collection `shapes`.
struct shape_document {
  digest::row row;          ///< without callers; `what` is the worst description among sidecars
  bool is_rowless = false;  ///< the row holds the counts of commands without a row, and no key
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;  ///< the largest count of an evicted row
};
/// Parses a document of the collection `shapes`; a problem if it is invalid.
[[nodiscard]] text::result<shape_document> read_shape(wire::document_view document);

/// The contents of a document of the collection `callers`.
struct caller_document {
  digest::row row;      ///< only its key and its callers are set
  std::string sidecar;  ///< the sidecar's uuid
};
/// Parses a document of the collection `callers`; a problem if it is invalid.
[[nodiscard]] text::result<caller_document> read_caller(wire::document_view document);

}  // namespace scattergate::fleet
