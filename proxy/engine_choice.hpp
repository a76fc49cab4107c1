#pragma once

#include <string>

#include "config/options/options.hpp"
#include "net/event_loop.hpp"

namespace scattergate::proxy {

/// The engine that all workers use, and why.
struct chosen_engine {
  net::engine_kind kind = net::engine_kind::epoll;
  std::string reason;  ///< "configured", "available", or why io_uring isn't

  /// As in the setting.
  [[nodiscard]] const char* name() const noexcept;
};

/// Tries the engine where the setting says so. Throws std::runtime_error with a one-line
/// message if io_uring is required and the kernel doesn't have it or forbids it.
[[nodiscard]] chosen_engine choose_engine(config::engine_choice configured);

}  // namespace scattergate::proxy
