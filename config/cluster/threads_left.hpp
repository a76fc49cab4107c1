#pragma once

#include <atomic>

namespace scattergate::config {

/// Threads that were left where nothing can interrupt them, inside a call of mongo-c-driver
/// that waits for a silent mongos. They own all they use but what the process owns: who ends it
/// while there are any leaves that undestroyed.
inline std::atomic<unsigned> threads_left{0};

}  // namespace scattergate::config
