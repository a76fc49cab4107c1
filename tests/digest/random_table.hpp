#pragma once

#include <cstddef>
#include <random>
#include <string>

#include "digest/table.hpp"

/// Random tables of query shapes, for tests of the formats that store and show such tables.
namespace scattergate::digest {

/// A random text such as hostile clients may send: quotes, control characters, changes of the
/// writing direction, invalid UTF-8.
inline std::string random_text(std::mt19937_64& random) {
  static const std::string pieces[] = {
      "a",    "\"",     "\\", "\n", std::string(1, '\0'), "\x1b[2J", "\u202e", "\u00e9", "\xff",
      "\xc3", "\ufffd", " ",  "{"};
  std::string text;
  for (std::size_t i = random() % 8; i > 0; --i) text += pieces[random() % std::size(pieces)];
  return text;
}

/// A random description of a shape.
inline description random_description(std::mt19937_64& random) {
  description what;
  what.routing = static_cast<routing::routing_class>(random() % routing::routing_class_count);
  what.bounds = static_cast<routing::bounds_kind>(random() % 4);
  what.why = routing::cause::numbered(random() % routing::cause_count);
  if (random() % 4 != 0) what.shape_json = R"({"filter":{"a":"?number","\u0000b":1.50}})";
  if (random() % 2 != 0) what.shard_key_json = R"({"a":1,"b":"hashed"})";
  for (std::size_t i = random() % 3; i > 0; --i) what.missing.push_back(random_text(random));
  if (random() % 4 == 0) what.lints = {"ambiguous_id"};
  what.suggestion = random_text(random);
  if (random() % 4 == 0) what.statement = static_cast<std::uint32_t>(random());
  return what;
}

/// Random counts and times of one to three commands.
inline sighting random_sighting(std::mt19937_64& random) {
  sighting seen;
  seen.count = 1 + random() % 3;
  seen.errors = random() % 2;
  if (random() % 3 != 0) seen.fanout = static_cast<std::uint32_t>(random() % 9);
  // Only a single command gets a duration, because a daemon times each by itself.
  const bool is_timed = random() % 4 != 0 && seen.count == 1;
  if (is_timed) seen.duration = std::chrono::nanoseconds{random() % (1UL << 44)};
  if (random() % 4 != 0) {
    const auto at = static_cast<std::int64_t>(random() % (1UL << 62));
    seen.first = seen.last = wall_time{std::chrono::nanoseconds{at - (1L << 61)}};
  }
  return seen;
}

/// Adds `commands` random commands of at most `shapes` shapes to the table `in`.
inline void count_random(table& in, std::mt19937_64& random, std::size_t commands,
                         std::size_t shapes) {
  for (std::size_t i = 0; i < commands; ++i) {
    std::mt19937_64 of_shape{random() % shapes};
    const std::string database = random_text(of_shape);
    const std::string collection = random_text(of_shape);
    const auto hash = of_shape();
    const auto [row, is_new] = in.row_of({database, collection, "find", hash});
    if (is_new) row.what = random_description(of_shape);
    if (hash % 3 == 0) row.query_shape_hash = std::string(64, 'A');
    in.count(row, random_sighting(random),
             static_cast<routing::routing_class>(random() % routing::routing_class_count));
    if (random() % 2 != 0) row.fanouts.add(static_cast<std::uint32_t>(random() % 200), 2);
    if (random() % 3 == 0) row.run.docs_examined.add(random() % 1'000);
    if (random() % 3 == 0) row.run.reply_bytes.add(random() % 1'000);
    if (random() % 3 == 0) row.run.plans.add(random_text(random) + "x", 1 + random() % 3);
    if (random() % 5 == 0) row.run.errors.add("E" + std::to_string(random() % 12), 1);
    row.who.add({"app" + std::to_string(random() % 20),
                 random_text(of_shape),
                 {},
                 {},
                 random_text(of_shape),
                 1});
  }
}

/// A table with 200 random commands of at most 30 shapes. The same seed gives the same table.
inline table random_table(std::uint64_t seed, std::size_t max_rows = 100) {
  std::mt19937_64 random{seed};
  table made{max_rows};
  count_random(made, random, 200, 30);
  return made;
}

}  // namespace scattergate::digest
