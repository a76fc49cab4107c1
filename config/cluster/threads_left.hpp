#pragma once

#include <atomic>

namespace scattergate::config {

/// The number of threads that were detached during a call that can't be interrupted: a call of
/// mongo-c-driver that waits for a silent mongos, or a call of the resolver. These threads own
/// everything that they use except process-wide state. While the number isn't 0, the process
/// must therefore exit without destroying process-wide state.
inline std::atomic<unsigned> threads_left{0};

}  // namespace scattergate::config
