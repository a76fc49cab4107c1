#pragma once

#include <random>
#include <string>

#include "digest/sketch/sketch_table.hpp"

namespace scattergate::digest {

/// Sketches of a few collections, some of them with all that one may have.
inline sketch_table random_sketches(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  sketch_table made{"0123456789abcdef"};
  for (std::uint64_t c = random() % 5 + 2; c != 0; --c) {
    collection_sketch& of = *made.take({"db", "c\xff" + std::to_string(random() % 9)});
    const auto has_room = [](std::size_t) { return true; };
    const std::size_t fields = random() % most_sketched_fields + 1;
    for (std::size_t i = 0; i != fields; ++i) {
      (void)of.take_field("field" + std::to_string(random() % 20), has_room);
    }
    for (std::uint64_t i = random() % 3'000; i != 0; --i) {
      statement_values said;
      said.is_insert = random() % 3 == 0;
      said.given = static_cast<field_bits>(random() & ((1U << of.fields().size()) - 1));
      for (std::size_t at = 0; at != most_sketched_fields; ++at) {
        const std::uint64_t value = random() % (1UL << 4 * at % 63);
        said.hashes[at] = value * 0x9e3779b97f4a7c15U;
        said.orders[at] = {{10, value, 0}};
      }
      of.count(said, static_cast<std::int64_t>(1'790'000'000 + i / 5), has_room);
    }
  }
  made.count_left_out(random() % 3);
  return made;
}

}  // namespace scattergate::digest
