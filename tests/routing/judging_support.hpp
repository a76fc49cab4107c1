#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/classify.hpp"
#include "tests/support/json_document.hpp"

/// Judges commands by catalogs (predicts which shards mongos asks). Tests write both as
/// Extended JSON.
namespace scattergate::routing_tests {

/// Makes a catalog from JSON:
/// {"version": "8.0", "unlisted": "unknown", "collections": [
///   {"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 5}], "shards": ["0", "1"],
///    "collation": {...}, "unique": true,
///    "timeSeries": true or {"time": "t", "meta": "m", "span": 3600},
///    "viewOn": "other", "pipeline": [...]}]}
/// `splits` has the bounds between chunks (omitted fields are MinKey), `shards` the chunks'
/// owners (by default "0", "1", ...). Without `splits`, the chunks are unknown. `unlisted`:
/// the class of collections that aren't listed, "unsharded" (the default) or "unknown".
/// Throws std::invalid_argument if the JSON is no valid catalog.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_of(std::string_view json);

/// Makes a catalog with one collection, db.c. `key`: the shard key as JSON. `splits`: the
/// bounds between chunks as a JSON array; empty: the chunks are unknown.
[[nodiscard]] std::shared_ptr<const routing::catalog> catalog_of(
    std::string_view key, std::string_view splits, std::string_view version = "8.0");

/// The items of an array; empty if `list` is std::nullopt.
[[nodiscard]] std::vector<wire::element> members(const std::optional<wire::element>& list);

/// Converts Extended JSON to BSON. `~type`, `~regex` and `~options` in `json` become the
/// operators `$type`, `$regex` and `$options`, which would otherwise be read as Extended JSON.
[[nodiscard]] std::vector<std::byte> bson_of(std::string_view json);

/// A command and the verdict on it, with all data that the verdict points to.
class judged {
 public:
  /// Judges `command`, JSON for bson_of(). Without `$db`, the database is `db`.
  judged(std::shared_ptr<const routing::catalog> entries, std::string_view command,
         std::size_t scratch_size = routing::scratch_bytes);

  [[nodiscard]] const routing::verdict& verdict() const noexcept { return verdict_; }
  [[nodiscard]] const wire::command& command() const noexcept { return given_; }

  /// Routing class and shards: "multi_shard 0,2"; "scatter_gather ?" if the chunks are
  /// unknown. Only the routing class if the verdict has bounds_kind::none.
  [[nodiscard]] std::string where() const;

  /// Routing class and reason: "scatter_gather missing_key".
  [[nodiscard]] std::string why() const;

  /// The names of the shard key's fields that the filter lacks, joined by commas.
  [[nodiscard]] std::string missing() const;

 private:
  std::vector<std::byte> command_;
  wire::command given_;
  std::shared_ptr<const routing::catalog> entries_;
  std::vector<std::byte> block_;
  routing::scratch memory_;
  routing::verdict verdict_;
};

/// The names of the shards, joined by commas: "0,2"; "?" for std::nullopt.
[[nodiscard]] std::string names_of(const std::optional<routing::shard_set>& shards,
                                   const routing::catalog& entries);

}  // namespace scattergate::routing_tests
