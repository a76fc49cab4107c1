#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "digest/sketches/collection_sketches.hpp"
#include "digest/sketches/salt.hpp"

/// Makes values for the tests of sketches (statistics of salted hashes of values).
namespace scattergate::digest {

/// The salt of the tests.
inline constexpr salt some_salt{0x0123456789abcdef, 0xfedcba9876543210};

/// The salted hash of the number `i`.
inline std::uint64_t hash_of(std::uint64_t i, const salt& by = some_salt) {
  return salted_hash(std::as_bytes(std::span{&i, 1}), by);
}

/// `count` random numbers below `values`, of which low ones are more common, by Zipf's law
/// with the exponent `s`. `s` 0: all numbers are equally common.
inline std::vector<std::uint64_t> zipf(std::size_t count, std::size_t values, double s,
                                       unsigned seed = 1) {
  std::vector<double> weights;
  for (std::size_t i = 1; i <= values; ++i) weights.push_back(std::pow(i, -s));
  std::discrete_distribution<std::uint64_t> draw{weights.begin(), weights.end()};
  std::mt19937_64 random{seed};
  std::vector<std::uint64_t> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(draw(random));
  return made;
}

/// Adds a statement that compares fields with numbers, such as {a: 1, b: 2}. `values`: the
/// fields and their numbers. `is_insert`: the statement inserts a document with these values.
inline void pin(collection_sketches& to,
                const std::vector<std::pair<std::string, std::uint64_t>>& values,
                bool is_insert = false) {
  std::vector<sketched_value> made;
  for (const auto& [path, value] : values) {
    const auto field = to.admit(path);
    if (field) made.push_back({*field, hash_of(value), {value, 0}});
  }
  to.add({made, 1, is_insert});
}

}  // namespace scattergate::digest
