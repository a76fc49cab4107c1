#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "text/problem.hpp"
#include "wire/bson.hpp"

/// The documents of the collections shapes and callers: what a flush adds to each, and how they
/// are read back (docs/fleet.md, "What the documents hold").
namespace scattergate::fleet {

/// Which flush writes a document, and how it is kept from counting twice.
struct flush_place {
  std::string uuid;         ///< of the sidecar
  std::uint64_t flush = 0;  ///< its number
  std::uint32_t n = 0;      ///< the logical shard
  /// Whether each document remembers the flush itself, because there are no transactions.
  bool has_marks = false;
};

/// Whether a statement may create its document.
enum class when_missing : bool { skip, create };

/// Identifies a row in all documents: "shop.orders find b5552500e10fa16d".
[[nodiscard]] std::string shape_name(const digest::row_key& key);
/// The `_id` of a shape's document: its name and the logical shard, "...:3".
[[nodiscard]] std::string shape_id(std::string_view shape, std::uint32_t n);

/// Commands of a delta that have no row, and what the sidecar evicted.
struct rowless_counts {
  digest::totals sums;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;
};

/// The statement of an update command that adds a row's counts, without its callers.
[[nodiscard]] std::vector<std::byte> shape_statement(const digest::row& of,
                                                     const flush_place& at,
                                                     when_missing missing);
[[nodiscard]] std::vector<std::byte> rowless_statement(const rowless_counts& of,
                                                       const flush_place& at,
                                                       when_missing missing);

/// Commands of one sender of a shape; `other`: of those that aren't counted apart.
struct caller_counts {
  const digest::row* row = nullptr;
  digest::caller who;
  bool is_others = false;
};
[[nodiscard]] std::vector<std::byte> caller_statement(const caller_counts& of,
                                                      const flush_place& at,
                                                      when_missing missing);

/// A document of the collection shapes, read back. The row's callers are in other documents.
struct shape_document {
  digest::row row;  ///< its `what` is the worst description
  bool is_rowless = false;
  std::uint64_t evicted_rows = 0;
  std::uint64_t error_bound = 0;  ///< of what was evicted
};
[[nodiscard]] text::result<shape_document> read_shape(wire::document_view document);

/// A document of the collection callers, read back.
struct caller_document {
  digest::row row;      ///< only its key and its callers are set
  std::string sidecar;  ///< its uuid
};
[[nodiscard]] text::result<caller_document> read_caller(wire::document_view document);

}  // namespace scattergate::fleet
