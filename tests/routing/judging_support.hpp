#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/classify.hpp"
#include "tests/support/json_document.hpp"

/// Judging commands written as Extended JSON against catalogs written as Extended JSON.
namespace scattergate::routing_tests {

/// {"version": "8.0", "unlisted": "unknown", "collections": [
///   {"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 5}], "shards": ["0", "1"],
///    "collation": {...}, "unique": true,
///    "timeSeries": true or {"time": "t", "meta": "m", "span": 3600},
///    "viewOn": "other", "pipeline": [...]}]}
/// `splits` are the bounds between chunks (fields left out are MinKey), `shards` their owners:
/// "0", "1", ... where they aren't given. Without `splits` chunks aren't known.
/// Throws std::invalid_argument where it makes no catalog.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_of(std::string_view json);

/// A catalog of the one collection db.c: its key and its splits, an array or empty where
/// chunks aren't known.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_of(
    std::string_view key, std::string_view splits, std::string_view version = "8.0");

/// The members of an array, which may not be there.
[[nodiscard]] std::vector<wire::element> members(const std::optional<wire::element>& list);

/// The BSON of a JSON text in which `~type`, `~regex`, `~options` stand for the operators that
/// libbson would read as Extended JSON.
[[nodiscard]] std::vector<std::byte> bson_of(std::string_view json);

/// A verdict with all that it points into.
class judged {
 public:
  /// `command`, for bson_of(), is sent to the database `db` unless it names another.
  judged(std::shared_ptr<const routing::catalog> entries, std::string_view command,
         std::size_t scratch_size = routing::scratch_bytes);

  [[nodiscard]] const routing::verdict& verdict() const noexcept { return verdict_; }
  [[nodiscard]] const wire::command& command() const noexcept { return given_; }

  /// Class and fan-out: "multi_shard 0,2", "scatter_gather ?" where chunks aren't known.
  [[nodiscard]] std::string where() const;

  /// Class and reason: "scatter_gather missing_key".
  [[nodiscard]] std::string why() const;

  /// The missing fields' names, joined by commas.
  [[nodiscard]] std::string missing() const;

 private:
  std::vector<std::byte> command_;
  wire::command given_;
  std::shared_ptr<const routing::catalog> entries_;
  std::vector<std::byte> block_;
  routing::scratch memory_;
  routing::verdict verdict_;
};

/// The shards of a set, "0,2"; "?" for none known.
[[nodiscard]] std::string names_of(const std::optional<routing::shard_set>& shards,
                                   const routing::catalog& entries);

}  // namespace scattergate::routing_tests
