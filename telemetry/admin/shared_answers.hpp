#pragma once

#include <map>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/http_exchange.hpp"

namespace scattergate::telemetry {

using shared_reply = std::shared_ptr<const admin_reply>;

/// What is costly to answer is made once for all who have asked for it until its turn comes, so
/// it is never older than the request; and its turn leaves as much time to others as it takes.
/// Thread-safety: that of the context.
class shared_answers {
 public:
  shared_answers(asio::io_context& context, const admin_pages& pages)
      : context_(context), pages_(pages) {}

  /// What `request` is answered. `is_shared` is set where it may be held for others too.
  ///
  /// Told where to rather than returned: g++ 12 destroys some temporaries of a co_await
  /// expression twice.
  asio::awaitable<void> make(const request_parser::value_type& request, shared_reply& into,
                             bool& is_shared);

 private:
  /// An answer that is being made, for all who wait for it by then.
  struct pending {
    explicit pending(asio::io_context& context)
        : turn(context), made(context, asio::steady_timer::time_point::max()) {}
    asio::steady_timer turn;
    asio::steady_timer made;
    shared_reply reply;
  };
  /// What those ask for who are given the same answer: same_as() and form_of().
  struct target {
    std::string path;
    answer_form form;
    friend auto operator<=>(const target&, const target&) = default;
  };

  void make_now(const target& of);

  asio::io_context& context_;
  const admin_pages& pages_;
  std::map<target, std::shared_ptr<pending>> waited_for_;
  asio::steady_timer::time_point next_turn_{};  // of what is costly
};

}  // namespace scattergate::telemetry
