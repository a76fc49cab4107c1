#include "tests/support/allocation_counter.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace {

thread_local std::size_t allocations = 0;

/// The state of an allocation_failure on this thread.
struct failing {
  bool is_on = false;
  int strikes = 0;  // how many more allocations fail
  bool has_struck = false;
  std::size_t granted = 0;
};
thread_local failing failure;

bool is_to_fail() noexcept {
  if (!failure.is_on || failure.strikes == 0) return false;
  if (!failure.has_struck && failure.granted-- != 0) return false;
  failure.has_struck = true;
  --failure.strikes;
  return true;
}

void* allocate(std::size_t size) noexcept {
  ++allocations;
  if (is_to_fail()) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate_aligned(std::size_t size, std::align_val_t alignment) noexcept {
  ++allocations;
  if (is_to_fail()) return nullptr;
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

}  // namespace

// Every form, because the sanitizers bring forms of their own that don't come down to one.
void* operator new(std::size_t size) {
  return checked(allocate(size));
}
void* operator new[](std::size_t size) {
  return checked(allocate(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return checked(allocate_aligned(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return checked(allocate_aligned(size, alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return allocate_aligned(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return allocate_aligned(size, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace scattergate::tests {

allocation_counter::allocation_counter() noexcept : before_(allocations) {}

std::size_t allocation_counter::count() const noexcept {
  return allocations - before_;
}

allocation_failure::allocation_failure(std::size_t granted, int strikes) noexcept {
  failure = {true, strikes, false, granted};
}

allocation_failure::~allocation_failure() {
  failure = {};
}

allocation_grant::allocation_grant() noexcept : was_on_(std::exchange(failure.is_on, false)) {}

allocation_grant::~allocation_grant() {
  failure.is_on = was_on_;
}

bool allocation_failure::has_struck() const noexcept {
  return failure.has_struck;
}

}  // namespace scattergate::tests
