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

}  // namespace scattergate::tests
