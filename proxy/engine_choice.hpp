#pragma once

#include <string>

#include "config/options/options.hpp"
#include "net/event_loop.hpp"

namespace scattergate::proxy {

/// The event engine of all workers (epoll or io_uring), and why it was chosen.
struct chosen_engine {
  net::engine_kind kind = net::engine_kind::epoll;
  std::string reason;  ///< "configured", "available", or why io_uring isn't available

  /// The engine's name in the configuration.
  [[nodiscard]] const char* name() const noexcept;
};

/// Chooses the event engine as `configured` (the option workers.engine). For `auto`, chooses
/// io_uring if the kernel supports it, otherwise epoll. Throws std::runtime_error with a
/// one-line message if io_uring is configured but not available.
[[nodiscard]] chosen_engine choose_engine(config::engine_choice configured);

}  // namespace scattergate::proxy
