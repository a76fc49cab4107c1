#pragma once

#include <new>

namespace scattergate::net {

/// Runs `work`. Returns false if `work` threw std::bad_alloc; then `work` may be only partly
/// done. Lets other exceptions through.
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
