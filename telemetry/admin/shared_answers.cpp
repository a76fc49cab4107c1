#include "telemetry/admin/shared_answers.hpp"

#include <utility>

namespace scattergate::telemetry {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

asio::awaitable<void> shared_answers::make(const request_parser::value_type& request,
                                           shared_reply& into, bool& is_shared) {
  const std::string asked{request.target()};
  const bool is_read =
      request.method() == http::verb::get || request.method() == http::verb::head;
  is_shared = is_read && admin_pages::is_shared(asked);
  if (!is_shared) {
    into = std::make_shared<const admin_reply>(pages_.answer(request.method_string(), asked));
    co_return;
  }
  const answer_form wanted{wanted_format(request[http::field::accept]),
                           wanted_coding(request[http::field::accept_encoding])};
  const target same{std::string{admin_pages::same_as(asked)},
                    admin_pages::form_of(asked, wanted)};
  std::shared_ptr<pending>& place = waited_for_[same];
  if (!place) {
    place = std::make_shared<pending>(context_);
    place->turn.expires_at(next_turn_);
    place->turn.async_wait([this, same](const error_code&) { make_now(same); });
  }
  const std::shared_ptr<pending> awaited = place;
  if (!awaited->reply) co_await awaited->made.async_wait(use_tuple);
  into = awaited->reply;
}

#pragma GCC diagnostic pop

void shared_answers::make_now(const target& of) {
  const std::shared_ptr<pending> awaited = std::move(waited_for_[of]);
  waited_for_.erase(of);
  awaited->made.cancel();  // they go on after this, whatever happens
  const auto start = asio::steady_timer::clock_type::now();
  awaited->reply = std::make_shared<const admin_reply>(pages_.answer("GET", of.path, of.form));
  const auto end = asio::steady_timer::clock_type::now();
  next_turn_ = end + (end - start);
}

}  // namespace scattergate::telemetry
