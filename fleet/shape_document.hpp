#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "text/problem.hpp"
#include "wire/bson.hpp"

/// Writes and reads the documents of the collections shapes and callers (docs/fleet.md, "What
/// the documents hold").
namespace scattergate::fleet {

/// The flush that writes a document, and its protection against counting twice.
struct flush_place {
  std::string uuid;         ///< of the sidecar
  std::uint64_t flush = 0;  ///< its number
  std::uint32_t n = 0;      ///< the logical shard
  /// Whether each document stores a mark of the flush, because there are no transactions.
  bool has_marks = false;
  digest::wall_time keep_until{};  ///< when its marks, and the documents of callers, expire
};

/// The effect of a statement if its document doesn't exist.
enum class when_missing : bool { skip, create };

/// The name by which documents identify a row: "shop.orders find b5552500e10fa16d".
[[nodiscard]] std::string shape_name(const digest::row_key& key);
/// The `_id` of a shape's document: the shape's name and the logical shard: "shop.orders find
/// b5552500e10fa16d:3".
[[nodiscard]] std::string shape_id(std::string_view shape, std::uint32_t n);

/// A delta's counts of commands without a row, and of evicted rows.
struct rowless_counts {
  digest::totals sums;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;
};

/// The update statement that adds a row's counts, without its callers.
[[nodiscard]] std::vector<std::byte> shape_statement(const digest::row& of,
                                                     const flush_place& at,
                                                     when_missing missing);
/// The update statement that adds the counts of commands without a row.
[[nodiscard]] std::vector<std::byte> rowless_statement(const rowless_counts& of,
                                                       const flush_place& at,
                                                       when_missing missing);

/// The commands that one caller has sent of a shape.
struct caller_counts {
  const digest::row* row = nullptr;
  digest::caller who;
  bool is_others = false;
};
/// The update statement that adds a caller's counts.
[[nodiscard]] std::vector<std::byte> caller_statement(const caller_counts& of,
                                                      const flush_place& at,
                                                      when_missing missing);

/// The contents of a document of the collection shapes. The row's callers are in the collection
/// callers.
struct shape_document {
  digest::row row;  ///< `what` is the worst description among sidecars
  bool is_rowless = false;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;  ///< the largest count of an evicted row
};
/// Parses a document of the collection shapes; a problem if it is invalid.
[[nodiscard]] text::result<shape_document> read_shape(wire::document_view document);

/// The contents of a document of the collection callers.
struct caller_document {
  digest::row row;      ///< only its key and its callers are set
  std::string sidecar;  ///< the sidecar's uuid
};
/// Parses a document of the collection callers; a problem if it is invalid.
[[nodiscard]] text::result<caller_document> read_caller(wire::document_view document);

}  // namespace scattergate::fleet
