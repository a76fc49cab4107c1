#pragma once

#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "telemetry/admin/admin_stream.hpp"

/// Server-sent events (HTML standard, section 9.2) over a connection of the admin server.
namespace scattergate::telemetry {

/// The source of one connection's events.
class event_source {
 public:
  virtual ~event_source() = default;

  /// Whether more events may come.
  [[nodiscard]] virtual bool is_open() const noexcept = 0;
  /// A timer to wait on: it is cancelled when an event arrives or the source closes. Null if an
  /// event is already available.
  [[nodiscard]] virtual asio::steady_timer* awaited() noexcept = 0;
  /// Returns the pending events as text, ready to send. Never null; empty if there are none.
  [[nodiscard]] virtual std::shared_ptr<const std::string> next() = 0;
};

/// Sends the HTTP header and then the events of `from`. Ends when `from` closes, the peer
/// closes the connection, or an event can't be sent within 5 s. `version`: the request's HTTP
/// version, 10 or 11. `peer` and `from` must outlive the coroutine.
asio::awaitable<void> send_events(admin_stream& peer, unsigned version, event_source& from);

}  // namespace scattergate::telemetry
