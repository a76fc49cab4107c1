#pragma once

#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "telemetry/admin/admin_stream.hpp"

/// Server-sent events (HTML, 9.2) over a connection of the admin address.
namespace scattergate::telemetry {

/// Where one connection's events come from.
class event_source {
 public:
  virtual ~event_source() = default;

  /// Whether more may come.
  [[nodiscard]] virtual bool is_open() const noexcept = 0;
  /// A timer that is cancelled when there is an event; null where there is one already.
  [[nodiscard]] virtual asio::steady_timer* awaited() noexcept = 0;
  /// The text of what has come, as it is sent.
  [[nodiscard]] virtual std::shared_ptr<const std::string> next() = 0;
};

/// Sends the events of `from` until it closes, or the peer goes or reads too slowly. `version`
/// is the request's: 10 or 11.
asio::awaitable<void> tell_events(admin_stream& peer, unsigned version, event_source& from);

}  // namespace scattergate::telemetry
