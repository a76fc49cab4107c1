#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "telemetry/admin/admin_guests.hpp"
#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/http_exchange.hpp"

namespace scattergate::telemetry {

using shared_reply = std::shared_ptr<const admin_reply>;

/// Makes the admin server's expensive replies (see admin_pages::is_shared()) one at a time, and
/// shares them. Requests for the same target share a reply if all of them arrive before the
/// server begins to make it.
///
/// After making a reply, pauses for as long as making it took. A health check therefore waits
/// for one reply at most. A request for /metrics comes first, unless the previous reply was for
/// /metrics, too. Otherwise, the peer that was served least recently comes first, so that no
/// peer can block another. While the replies being sent take more than `most_held` bytes,
/// closes the slowest reader instead of making a reply. Thread-safety: the thread of `context`.
class shared_answers {
 public:
  /// `most_held`: the size of all replies being sent, in bytes, above which slow readers are
  /// closed. The references must outlive this object.
  shared_answers(asio::io_context& context, const admin_pages& pages, admin_guests& guests,
                 std::size_t most_held)
      : context_(context),
        pages_(pages),
        guests_(guests),
        most_held_(most_held),
        turn_(context) {}

  /// Makes the reply to a request, or waits for a shared reply, and sets `into` to it. `by`:
  /// the request's connection. Leaves `into` null if memory ran out, or if all connections that
  /// waited for the reply were closed.
  ///
  /// Writes the result to a parameter instead of returning it through co_await, because g++ 12
  /// destroys some temporaries of a co_await expression twice.
  asio::awaitable<void> make(const request_parser::value_type& request, admin_guests::handle by,
                             shared_reply& into);

 private:
  using clock = asio::steady_timer::clock_type;

  /// The key by which requests share a reply: cache_key() and form_of().
  struct target {
    std::string path;
    answer_form form;
    friend auto operator<=>(const target&, const target&) = default;
  };
  /// A reply to make, and the requests that wait for it.
  struct pending {
    pending(asio::io_context& context, target asked)
        : of(std::move(asked)), made(context, asio::steady_timer::time_point::max()) {}
    target of;
    asio::steady_timer made;  // cancelled when the reply is made or given up
    std::vector<admin_guests::handle> waiting;
    shared_reply reply;
  };
  using pending_ptr = std::shared_ptr<pending>;
  struct waiting_mark;  // registers a request as waiting for a pending reply

  [[nodiscard]] pending_ptr place_for(target asked);
  void await_turn(clock::time_point at);
  void take_turn();
  [[nodiscard]] pending_ptr next();
  void drop_unwaited();
  void note_turn(const pending& of);
  void make_now(pending& one);

  asio::io_context& context_;
  const admin_pages& pages_;
  admin_guests& guests_;
  const std::size_t most_held_;
  // total size of the shared replies that still exist, in bytes
  std::shared_ptr<std::size_t> held_ = std::make_shared<std::size_t>(0);
  std::vector<pending_ptr> queue_;  // in the order of their first requests
  std::map<std::string, std::uint64_t, std::less<>> last_turns_;  // waiting peers' last turns
  std::uint64_t turns_ = 0;
  bool was_metrics_ = false;  // whether the last turn was for /metrics
  asio::steady_timer turn_;
  bool is_turn_awaited_ = false;
  clock::time_point rests_until_{};  // no reply is made before this time
};

}  // namespace scattergate::telemetry
