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
/// "What the documents hold"). Each query shape has several documents, called logical shards,
/// so that not all sidecars (scattergate daemons) write to the same document. Readers sum the
/// logical shards up.
namespace scattergate::fleet {

/// Where and how a flush (adding a sidecar's counts to the database) writes its documents: to
/// which logical shard, and whether with marks.
struct flush_place {
  std::string uuid;         ///< the sidecar's uuid
  std::uint64_t flush = 0;  ///< the flush's number
  std::uint32_t n = 0;      ///< the logical shard's number, from 0
  /// Whether each document stores a mark of the flush, so that a retried flush skips documents
  /// that it has written already. Used if the server doesn't support transactions.
  bool has_marks = false;
  digest::wall_time keep_until{};  ///< when the flush's marks, and its documents in the
                                   ///< collection `callers`, expire
};

/// Whether an update statement creates its document if the document doesn't exist.
enum class when_missing : bool { skip, create };

/// A row's shape name in the database: namespace, command and shape hash, as in "shop.orders
/// find b5552500e10fa16d". Special characters are percent-encoded.
[[nodiscard]] std::string shape_name(const digest::row_key& key);
/// The `_id` of a document of the collection `shapes`: the shape name and the number of the
/// logical shard, as in "shop.orders find b5552500e10fa16d:3".
[[nodiscard]] std::string shape_id(std::string_view shape, std::uint32_t n);

/// The part of a delta (the counts of one flush) that belongs to no row of the sidecar's digest
/// (table of shapes): counts of commands without a row, and of evicted rows.
struct rowless_counts {
  digest::totals sums;  ///< the counts of the commands without a row
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;  ///< the largest count of an evicted row
};

/// The update statement that adds a row's counts, without the callers, to the shape's
/// document.
[[nodiscard]] std::vector<std::byte> shape_statement(const digest::row& of,
                                                     const flush_place& at,
                                                     when_missing missing);
/// The update statement that adds the counts of commands without a row to the document for
/// them; see rowless_shape.
[[nodiscard]] std::vector<std::byte> rowless_statement(const rowless_counts& of,
                                                       const flush_place& at,
                                                       when_missing missing);

/// One caller (sender) of a query shape, and the number of commands that the caller has sent.
struct caller_counts {
  const digest::row* row = nullptr;  ///< the shape's row; not owned
  digest::caller who;                ///< the caller, with the number of commands
  bool is_others = false;  ///< `who` has only a count: the commands of all callers that aren't
                           ///< counted separately
};
/// The update statement that adds a caller's counts to the caller's document in the collection
/// `callers`.
[[nodiscard]] std::vector<std::byte> caller_statement(const caller_counts& of,
                                                      const flush_place& at,
                                                      when_missing missing);

/// The contents of a document of the collection `shapes`.
struct shape_document {
  digest::row row;  ///< without callers; `row.what` is the stored description with the worst
                    ///< routing class
  bool is_rowless = false;  ///< `row` has no key, but the counts of commands without a row
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;  ///< the largest count of an evicted row
};
/// Parses a document of the collection `shapes`. Returns a problem if the document is invalid.
[[nodiscard]] text::result<shape_document> read_shape(wire::document_view document);

/// The contents of a document of the collection `callers`.
struct caller_document {
  digest::row row;      ///< only the row's key and callers are set
  std::string sidecar;  ///< the sidecar's uuid
};
/// Parses a document of the collection `callers`. Returns a problem if the document is
/// invalid.
[[nodiscard]] text::result<caller_document> read_caller(wire::document_view document);

}  // namespace scattergate::fleet
