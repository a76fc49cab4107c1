#pragma once

#include <atomic>

namespace scattergate::config {

/// The number of threads that were detached inside an uninterruptible call of mongo-c-driver,
/// which waits for a silent mongos. They own everything they use except process-wide state:
/// while there are any, the process must exit without destroying that.
inline std::atomic<unsigned> threads_left{0};

}  // namespace scattergate::config
