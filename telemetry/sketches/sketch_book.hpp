#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest/sketches/salt.hpp"
#include "digest/sketches/sketch_set.hpp"
#include "digest/sketches/sketched_value.hpp"
#include "telemetry/memory_budget.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Reads the salt from a file (advise.salt_file). The salt is a random key, by which sketches
/// (statistics of fields' values) hash values. If the file doesn't exist, creates it with mode
/// 0600 and a new salt. Two processes that start at once get the same salt. On failure, returns
/// a problem that names the path.
[[nodiscard]] text::result<digest::salt> salt_in(const std::string& path);

/// Why an existing salt file can't be used: salt_exposed(), or no valid salt in it.
/// std::nullopt if the file can be used or doesn't exist. Changes nothing.
[[nodiscard]] std::optional<text::problem> salt_file_problem(const std::string& path);

/// A problem if the salt file's mode lets the group or other users access it; std::nullopt if
/// only the owner can, or if the file doesn't exist.
[[nodiscard]] std::optional<text::problem> salt_exposed(const std::string& path);

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

/// The daemon's sketches: compact statistics of the values of fields, for advice on shard keys.
/// All values are hashed with one salt (a random key). Workers ask which fields to sketch, and
/// collect values in batches (sketch_batch). The account's thread
/// (telemetry/accounts/account.hpp) adds the batches. Each collection reserves its maximum size
/// from the memory budget. If the budget has too little room, the collection gets no sketches.
/// Thread-safety: any thread.
class sketch_book {
 public:
  using wall_time = std::chrono::system_clock::time_point;
  using known_fields = std::vector<digest::collection_sketches::known_field>;

  /// `hash_salt`: from salt_in(). `memory` must outlive this object.
  sketch_book(const digest::salt& hash_salt, memory_budget& memory)
      : salt_(hash_salt), memory_(memory), set_(hash_salt.id()) {}
  ~sketch_book();
  sketch_book(const sketch_book&) = delete;
  sketch_book& operator=(const sketch_book&) = delete;

  /// The salt with which workers hash values.
  [[nodiscard]] const digest::salt& salt() const noexcept { return salt_; }

  /// The number that identifies a collection in this class and in batches. Adds the
  /// collection if necessary; returns std::nullopt if there is no room. Allocates only for a
  /// new collection.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view database,
                                                       std::string_view collection);
  /// The field's identifier in batches, for a path ("a.b") of a collection. Adds the field if
  /// necessary. Returns std::nullopt if the path can't have a sketch, or if another thread
  /// holds the lock. Doesn't block. `collection`: a result of number_of().
  [[nodiscard]] std::optional<digest::sketched_field> admit(std::uint32_t collection,
                                                            std::string_view path);
  /// The fields of a collection whose values workers should put into batches. `collection`: a
  /// result of number_of().
  [[nodiscard]] known_fields fields_of(std::uint32_t collection) const;
  /// A number that changes whenever fields_of() may have changed for any collection.
  [[nodiscard]] std::uint64_t version() const noexcept {
    return version_.load(std::memory_order_relaxed);
  }

  /// Adds a batch of statements that clients sent at about `now`. If memory runs out, omits
  /// statements that need a new sketch.
  void add(const sketch_batch& batch,
           wall_time now = std::chrono::system_clock::now()) noexcept;

  /// Merges the sketches of an earlier process. Omits collections for which there is no room.
  /// If the sketches were made with a salt other than salt(), returns false and changes
  /// nothing.
  [[nodiscard]] bool add(const digest::sketch_set& other);

  /// Calls `at` with all sketches, under the lock: `at` must not call this object.
  void read(const std::function<void(const digest::sketch_set&)>& at) const;

 private:
  [[nodiscard]] digest::collection_sketches* find_or_add(std::string_view database,
                                                         std::string_view collection);

  const digest::salt salt_;
  memory_budget& memory_;
  std::atomic<std::uint64_t> version_{1};
  mutable std::mutex mutex_;  // guards the members below
  digest::sketch_set set_;
  std::vector<digest::collection_sketches*> by_number_;
};

}  // namespace scattergate::telemetry
