#pragma once

#include <new>

namespace scattergate::net {

/// Runs `work`. Returns false if it threw std::bad_alloc; the rest of it was then skipped.
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
