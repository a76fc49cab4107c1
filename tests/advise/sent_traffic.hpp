#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "advise/advisor.hpp"
#include "digest/judge.hpp"
#include "routing/classify.hpp"
#include "routing/shape/shape.hpp"
#include "tests/routing/judging_support.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::advise_tests {

using routing_tests::bson_of;
using routing_tests::catalog_of;

/// Collects commands of a test's traffic, and computes the advice on shard keys for them.
/// Counts commands as a report's sources do.
class sent_traffic {
 public:
  /// `catalog`: the JSON text that routing_tests::catalog_of() reads.
  explicit sent_traffic(std::string_view catalog) : catalog_(catalog_of(catalog)) {}

  /// Counts a command with its values. `command`: JSON for bson_of(); without `$db`, the
  /// database is `db`. `after`: when the command was sent, since 1970; unset: unknown.
  void add(std::string_view command, std::optional<std::chrono::seconds> after = {}) {
    const auto at = after ? std::optional{digest::wall_time{*after}} : std::nullopt;
    const std::vector<std::byte> body = with_database(command);
    kept_.keep(count(command, 1, at), wire_view(body), at);
  }
  /// Counts a command `times` times by its shape only, without keeping its values, as for query
  /// statistics.
  void add_shape(std::string_view command, std::uint64_t times) { count(command, times, {}); }

  /// Adds a collection's indexes. `list`: the output of getIndexes() as JSON, such as
  /// [{"key": {...}, "unique": true, "name": "..."}].
  void set_indexes(const std::string& name_space, std::string_view list) {
    auto& of = indexes_[name_space];
    const auto document = bson_of("{\"list\": " + std::string{list} + "}");
    const auto field = wire::find_field(wire_view(document), "list");
    wire::document_reader reader{*field->as_array()};
    for (wire::element one; reader.next(one);) {
      const auto bytes = one.as_document()->bytes();
      of.push_back({{bytes.begin(), bytes.end()}});
    }
  }

  /// The advice on all collections.
  [[nodiscard]] advise::advice advice(const advise::question& asked = {},
                                      const advise::statistics_source& statistics = {},
                                      const advise::input_gaps& gaps = {}) const {
    return advise::advise({table_, *catalog_, &kept_, &indexes_, statistics, gaps}, asked);
  }
  /// The advice on the collection db.c; a default-constructed one if there is none.
  [[nodiscard]] advise::collection_advice on_c(const advise::question& asked = {}) const {
    for (advise::collection_advice& one : advice(asked).collections) {
      if (one.name_space == "db.c") return std::move(one);
    }
    return {};
  }

 private:
  static wire::document_view wire_view(const std::vector<std::byte>& bytes) {
    return wire::document_view::from(bytes).value();
  }

  static std::vector<std::byte> with_database(std::string_view command) {
    const std::vector<std::byte> body = bson_of(command);
    if (wire::find_field(wire_view(body), "$db")) return body;
    wire::bson_writer made{wire_view(body)};
    made.text("$db", "db");
    return made.take();
  }

  std::uint64_t count(std::string_view command, std::uint64_t times,
                      std::optional<digest::wall_time> at) {
    const std::vector<std::byte> body = with_database(command);
    const wire::command read = wire::command_of(wire_view(body)).value();
    const auto shape = routing::hash_shape(read, *memory_);
    std::string text{shape.text};
    const std::uint64_t hash = shape.hash;
    const auto verdict = routing::classify(read, *catalog_, *memory_);
    const std::string name{routing::name_of(verdict.command)};
    const auto place = table_.row_of({verdict.database, verdict.collection, name, hash});
    place.of.replace_if_worse(digest::describe(verdict, read, std::move(text)));
    digest::sighting seen;
    seen.count = times;
    seen.first = seen.last = at;
    table_.count(place.of, seen, verdict.routing);
    return hash;
  }

  std::shared_ptr<const routing::catalog> catalog_;
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  std::unique_ptr<routing::scratch> memory_ = std::make_unique<routing::scratch>(block_);
  digest::table table_{10'000};
  advise::kept_commands kept_;
  advise::known_indexes indexes_;
};

/// The candidate whose key has the text `key`, in the form of key_text(). Throws
/// std::out_of_range if there is none.
inline const advise::candidate& key_in(const advise::collection_advice& in,
                                       std::string_view key) {
  for (const advise::candidate& one : in.candidates) {
    if (advise::key_text(one.key) == key) return one;
  }
  throw std::out_of_range{"no key " + std::string{key}};
}

/// The texts of the objections, the reasons why a key isn't safe.
inline std::vector<std::string> texts_of(const std::vector<advise::objection>& all) {
  std::vector<std::string> made;
  for (const advise::objection& one : all) made.push_back(one.text);
  return made;
}

}  // namespace scattergate::advise_tests
