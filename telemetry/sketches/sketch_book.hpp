#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "digest/sketches/salt.hpp"
#include "digest/sketches/sketch_set.hpp"
#include "telemetry/memory_budget.hpp"
#include "telemetry/sketches/sketch_batch.hpp"

namespace scattergate::telemetry {

/// The daemon's sketches of values, of one salt. Workers ask which fields there are, and
/// batches of their statements are added by the account's thread. Each collection takes its
/// full size from `memory`; one without room has no sketches. Thread-safety: any thread.
class sketch_book {
 public:
  using wall_time = std::chrono::system_clock::time_point;
  using known_fields = std::vector<digest::collection_sketches::known_field>;

  /// `memory` must outlive it.
  sketch_book(const digest::salt& by, memory_budget& memory)
      : salt_(by), memory_(memory), set_(by.id()) {}
  ~sketch_book();
  sketch_book(const sketch_book&) = delete;
  sketch_book& operator=(const sketch_book&) = delete;

  [[nodiscard]] const digest::salt& salt() const noexcept { return salt_; }

  /// The number of a collection, which begins now if there is room. Allocates for a new one.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view database,
                                                       std::string_view collection);
  /// The field of a path; std::nullopt if it can't have a sketch. Doesn't wait while the book
  /// is in use: then std::nullopt, too.
  [[nodiscard]] std::optional<digest::sketched_field> admit(std::uint32_t collection,
                                                            std::string_view path);
  [[nodiscard]] known_fields fields_of(std::uint32_t collection) const;
  /// Changes when a collection's fields may have changed.
  [[nodiscard]] std::uint64_t version() const noexcept {
    return version_.load(std::memory_order_relaxed);
  }

  /// Adds statements of about now. If memory fails, those that need a new sketch don't count.
  void add(const sketch_batch& batch,
           wall_time now = std::chrono::system_clock::now()) noexcept;

  /// Adds what an earlier process kept. False, and nothing is added, if it has another salt.
  [[nodiscard]] bool add(const digest::sketch_set& other);

  /// Calls `at` with all sketches under the lock.
  void look(const std::function<void(const digest::sketch_set&)>& at) const;

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
