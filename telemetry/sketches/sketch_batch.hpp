#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "digest/sketches/sketched_value.hpp"

namespace scattergate::telemetry {

/// A worker collects the values of statements' fields in a batch, and hands the batch to the
/// sketch_book (statistics of values). Each value is a salted hash and, for its order, its
/// first bytes. Allocates only in reserve().
struct sketch_batch {
  /// One statement of a command: a filter or an inserted document.
  struct statement {
    std::uint32_t collection = 0;  ///< the collection's number in the sketch_book
    std::uint32_t weight = 1;      ///< the number of statements that this sample represents
    std::uint32_t values = 0;      ///< number of this statement's values; they follow the
                                   ///< previous statement's values in sketch_batch::values
    bool is_insert = false;
  };

  static constexpr std::size_t most_statements = 512;   ///< maximum number of statements
  static constexpr std::size_t most_values = 1536;      ///< maximum number of values
  static constexpr std::size_t most_of_statement = 32;  ///< maximum number of values of one
                                                        ///< statement

  std::vector<statement> statements;
  std::vector<digest::sketched_value> values;

  /// Allocates the memory of a full batch.
  void reserve() {
    statements.reserve(most_statements);
    values.reserve(most_values);
  }
  /// Whether there may be no room for another statement. True also before reserve().
  [[nodiscard]] bool is_full() const noexcept {
    return statements.size() == statements.capacity() ||
           values.size() + most_of_statement > values.capacity();
  }
  [[nodiscard]] bool is_empty() const noexcept { return statements.empty(); }
  /// Removes all statements and values; keeps the memory.
  void clear() noexcept {
    statements.clear();
    values.clear();
  }
};

}  // namespace scattergate::telemetry
