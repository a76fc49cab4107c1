#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "digest/sketches/sketched_value.hpp"

namespace scattergate::telemetry {

/// Statements that a worker hands to the sketch_book, with their values as salted hashes and as
/// first bytes, which give their order. Allocates only in reserve().
struct sketch_batch {
  struct statement {
    std::uint32_t collection = 0;  ///< the collection's number in the sketch_book
    std::uint32_t weight = 1;      ///< how many statements this one counts for
    std::uint32_t values = 0;      ///< how many of `values` belong to this statement; they are
                                   ///< consecutive
    bool is_insert = false;
  };

  static constexpr std::size_t most_statements = 512;
  static constexpr std::size_t most_values = 1536;
  static constexpr std::size_t most_of_statement = 32;  ///< values of one statement

  std::vector<statement> statements;
  std::vector<digest::sketched_value> values;

  void reserve() {
    statements.reserve(most_statements);
    values.reserve(most_values);
  }
  /// Whether there may be no room for another statement.
  [[nodiscard]] bool is_full() const noexcept {
    return statements.size() == statements.capacity() ||
           values.size() + most_of_statement > values.capacity();
  }
  [[nodiscard]] bool is_empty() const noexcept { return statements.empty(); }
  void clear() noexcept {
    statements.clear();
    values.clear();
  }
};

}  // namespace scattergate::telemetry
