#pragma once

#include <atomic>

namespace scattergate::config {

/// The number of threads that were detached inside a call that can't be interrupted: of
/// mongo-c-driver, which waits for a silent mongos, or of the resolver. These threads own
/// everything that they use except process-wide state. So while there are any, the process must
/// exit without destroying process-wide state.
inline std::atomic<unsigned> threads_left{0};

}  // namespace scattergate::config
