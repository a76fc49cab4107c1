#include "telemetry/admin/event_stream.hpp"

#include <chrono>
#include <string_view>

#include "telemetry/admin/http_exchange.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::seconds event_time{5};  // the peer must accept an event within this time
constexpr std::string_view events_begin = "retry: 3000\n\n";  // milliseconds (HTML standard,
                                                              // 9.2.6)

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // see admin_stream.cpp

asio::awaitable<void> send_events(admin_stream& peer, unsigned version, event_source& from) {
  const std::string header = event_stream_header(version);
  std::array parts{asio::buffer(header), asio::buffer(events_begin)};
  std::shared_ptr<const std::string> next;  // owns the text that `parts` points into
  for (error_code error;;) {
    peer.expires_after(event_time);
    co_await peer.write(parts, error);
    peer.expires_never();
    if (error || !from.is_open()) break;
    asio::steady_timer* const awaited = from.awaited();
    if (awaited != nullptr) co_await awaited->async_wait(use_tuple);
    next = from.next();
    parts = {asio::buffer(*next), asio::const_buffer{}};
  }
}

#pragma GCC diagnostic pop

}  // namespace scattergate::telemetry
