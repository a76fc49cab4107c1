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

/// Makes the answers that are costly or large, one at a time. All who ask for the same before
/// its turn comes get the same answer, so it is never older than a request. After each answer
/// the thread is free for as long as making it took: health checks wait for one answer at most.
/// Every second turn is for metrics; the others go round by peer, so that one peer's requests
/// don't hold up another's. Before an answer is made, those who read too slowly are cut until
/// the answers on their way take no more than `most_held` bytes. Thread-safety: that of the
/// context.
class shared_answers {
 public:
  shared_answers(asio::io_context& context, const admin_pages& pages, admin_guests& guests,
                 std::size_t most_held)
      : context_(context),
        pages_(pages),
        guests_(guests),
        most_held_(most_held),
        turn_(context) {}

  /// Answers the request of `by`. `into` stays null where `by` has been cut, or memory failed.
  ///
  /// The result goes into a parameter: g++ 12 destroys some temporaries of a co_await
  /// expression twice.
  asio::awaitable<void> make(const request_parser::value_type& request, admin_guests::handle by,
                             shared_reply& into);

 private:
  using clock = asio::steady_timer::clock_type;

  /// What those ask for who get the same answer: same_as() and form_of().
  struct target {
    std::string path;
    answer_form form;
    friend auto operator<=>(const target&, const target&) = default;
  };
  /// An answer to be made, for all who wait for it by then.
  struct pending {
    pending(asio::io_context& context, target asked)
        : of(std::move(asked)), made(context, asio::steady_timer::time_point::max()) {}
    target of;
    asio::steady_timer made;  // cancelled when it is, or isn't going to be
    std::vector<admin_guests::handle> waiting;
    shared_reply reply;
  };
  using pending_ptr = std::shared_ptr<pending>;
  struct place_in;  // one who waits for a pending answer

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
  std::shared_ptr<std::size_t> held_ = std::make_shared<std::size_t>(0);  // bytes of answers
  std::vector<pending_ptr> queue_;  // in the order of the first requests
  std::map<std::string, std::uint64_t, std::less<>> last_turns_;  // of the peers that wait
  std::uint64_t turns_ = 0;
  bool was_metrics_ = false;  // the last turn
  asio::steady_timer turn_;
  bool is_turn_awaited_ = false;
  clock::time_point rests_until_{};
};

}  // namespace scattergate::telemetry
