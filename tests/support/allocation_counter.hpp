#pragma once

#include <cstddef>

namespace scattergate::tests {

/// Counts what the calling thread takes by operator new while it lives: link
/// allocation_counter.cpp, which replaces the operator, into the test program.
/// Thread-safety: each thread counts its own.
class allocation_counter {
 public:
  allocation_counter() noexcept;

  /// Allocations since it was made.
  [[nodiscard]] std::size_t count() const noexcept;

 private:
  std::size_t before_;
};

/// While it lives, the calling thread's allocations fail: the one after the next `granted`
/// ones, or, where `for_good`, all of them from there on.
/// Thread-safety: one thread; one at a time.
class allocation_failure {
 public:
  explicit allocation_failure(std::size_t granted, bool for_good = false) noexcept;
  ~allocation_failure();
  allocation_failure(const allocation_failure&) = delete;
  allocation_failure& operator=(const allocation_failure&) = delete;

  /// Whether an allocation has failed.
  [[nodiscard]] bool has_struck() const noexcept;
};

/// While it lives, an allocation_failure is suspended: for what a test itself allocates.
class allocation_grant {
 public:
  allocation_grant() noexcept;
  ~allocation_grant();
  allocation_grant(const allocation_grant&) = delete;
  allocation_grant& operator=(const allocation_grant&) = delete;

 private:
  bool was_on_;
};

}  // namespace scattergate::tests
