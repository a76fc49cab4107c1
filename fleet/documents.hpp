#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "fleet/database.hpp"
#include "text/problem.hpp"
#include "wire/bson.hpp"

/// Writes and reads the documents of the fleet's database (docs/fleet.md, "What the documents
/// hold"): one per sidecar (scattergate daemon), and those of the collections `shapes` and
/// `callers`. Each query shape has several documents, called logical shards, so that not all
/// sidecars write to the same document. Readers sum the logical shards up.
namespace scattergate::fleet {

/// The facts that a sidecar (scattergate daemon) writes about itself to the fleet's database,
/// whenever it renews the lease on its name.
struct sidecar_facts {
  std::string name;     ///< the option fleet.name
  std::string version;  ///< scattergate's version
  std::string catalog;  ///< the catalog's source, and a hash of its namespaces and shard keys;
                        ///< "none" without a catalog
  std::string rules;    ///< a hash of the rules; empty: no rules
  std::chrono::milliseconds skew{0};  ///< how far the sidecar's clock is ahead of the server's
  std::chrono::milliseconds lag{0};   ///< age of the oldest counts that aren't in the database
                                      ///< yet
  std::uint64_t waiting = 0;  ///< number of commands whose counts aren't in the database yet
  std::uint64_t dropped = 0;  ///< number of commands since the process's start whose counts
                              ///< were dropped before they reached the database
  std::string name_holder;    ///< another process that holds the lease on the name;
                              ///< empty: none
  digest::wall_time expires_at{};  ///< when the document expires; not set by read_sidecar()
};

/// Writes the facts and the process's random `token` to the sidecar's document. Creates the
/// document if necessary. From then on, flushes (fleet/flush.hpp) by a process with another
/// token fail.
[[nodiscard]] config::mongo_result<void> write_facts(database& to, const std::string& uuid,
                                                     const std::string& token,
                                                     const sidecar_facts& facts);

/// The contents of a sidecar's document.
struct sidecar_status : sidecar_facts {
  std::string uuid;                             ///< identifies the sidecar
  std::optional<digest::wall_time> seen_at;     ///< last write_facts(), by the server's clock;
                                                ///< empty: unknown
  std::optional<digest::wall_time> flushed_at;  ///< last flush, by the server's clock; empty:
                                                ///< never
  std::uint64_t flushes = 0;                    ///< number of the last completed flush; 0: none
};
/// Parses a sidecar's document. Missing or invalid fields get defaults. Truncates long
/// texts.
[[nodiscard]] sidecar_status read_sidecar(wire::document_view stored);

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
