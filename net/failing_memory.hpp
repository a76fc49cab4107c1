#pragma once

#include <new>

namespace scattergate::net {

/// Runs `work`; returns false if it ran out of memory, in which case the rest of it was
/// skipped.
template <typename Work>
bool done_unless_memory_fails(const Work& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace scattergate::net
