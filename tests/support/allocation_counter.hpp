#pragma once

#include <cstddef>

namespace scattergate::tests {

/// Counts the allocations of the calling thread by operator new. The test program must link
/// allocation_counter.cpp, which replaces operator new. Thread-safety: each thread has its own
/// count.
class allocation_counter {
 public:
  allocation_counter() noexcept;

  /// The number of allocations since this object was created.
  [[nodiscard]] std::size_t count() const noexcept;

 private:
  std::size_t before_;
};

/// Makes allocations of the calling thread by operator new fail while this object exists. After
/// `granted` successful allocations, the next `strikes` ones fail. Thread-safety: one thread. A
/// thread may have only one such object at a time.
class allocation_failure {
 public:
  explicit allocation_failure(std::size_t granted, int strikes = 1) noexcept;
  ~allocation_failure();
  allocation_failure(const allocation_failure&) = delete;
  allocation_failure& operator=(const allocation_failure&) = delete;

  /// Whether an allocation has failed.
  [[nodiscard]] bool has_struck() const noexcept;
};

/// Suspends the calling thread's allocation_failure while this object exists, for the test's
/// own allocations.
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
