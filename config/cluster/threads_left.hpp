#pragma once

#include <atomic>

namespace scattergate::config {

/// The number of threads that were detached, because they were in a call of the resolver, which
/// can't be interrupted. These threads may still use process-wide state, but own everything
/// else that they use. While the number isn't 0, the process must therefore exit without
/// destroying process-wide state.
inline std::atomic<unsigned> threads_left{0};

}  // namespace scattergate::config
