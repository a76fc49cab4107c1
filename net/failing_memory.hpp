#pragma once

#include <new>

namespace scattergate::net {

/// Does some work; false where memory failed it, and the rest of it was left undone.
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
