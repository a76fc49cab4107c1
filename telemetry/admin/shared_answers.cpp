#include "telemetry/admin/shared_answers.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace scattergate::telemetry {
namespace {

/// The time until closed connections have ended and freed their replies: a few turns of the
/// event loop.
constexpr std::chrono::milliseconds until_cut_ones_end{1};

}  // namespace

struct shared_answers::waiting_mark {
  waiting_mark(pending& of, admin_guests::handle by) : of_(of), by_(by) {
    of.waiting.push_back(by);
  }
  ~waiting_mark() { std::erase(of_.waiting, by_); }
  waiting_mark(const waiting_mark&) = delete;
  waiting_mark& operator=(const waiting_mark&) = delete;

 private:
  pending& of_;
  admin_guests::handle by_;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

asio::awaitable<void> shared_answers::make(const request_parser::value_type& request,
                                           admin_guests::handle by, shared_reply& into) {
  const std::string asked{request.target()};
  const bool is_read =
      request.method() == http::verb::get || request.method() == http::verb::head;
  if (!is_read || !admin_pages::is_shared(asked)) {
    into = std::make_shared<const admin_reply>(pages_.answer(request.method_string(), asked));
    co_return;
  }
  const answer_form requested{requested_format(request[http::field::accept]),
                              requested_coding(request[http::field::accept_encoding])};
  const pending_ptr awaited = place_for(
      {std::string{admin_pages::cache_key(asked)}, admin_pages::form_of(asked, requested)});
  {
    const waiting_mark place{*awaited, by};
    await_turn(rests_until_);
    co_await awaited->made.async_wait(use_tuple);
  }
  into = awaited->reply;
  if (into) guests_.reply_begun(by, into);
}

#pragma GCC diagnostic pop

shared_answers::pending_ptr shared_answers::place_for(target asked) {
  const auto same =
      std::ranges::find_if(queue_, [&](const pending_ptr& each) { return each->of == asked; });
  if (same != queue_.end()) return *same;
  queue_.push_back(std::make_shared<pending>(context_, std::move(asked)));
  return queue_.back();
}

void shared_answers::await_turn(clock::time_point at) {
  if (is_turn_awaited_) return;
  turn_.expires_at(at);
  turn_.async_wait([this](const error_code& error) {
    is_turn_awaited_ = false;
    if (!error) take_turn();
  });
  is_turn_awaited_ = true;
}

void shared_answers::take_turn() {
  drop_unwaited();
  if (queue_.empty()) return;
  const auto start = clock::now();
  if (start < rests_until_) return await_turn(rests_until_);
  if (*held_ > most_held_) {
    guests_.close_slowest();
    return await_turn(start + until_cut_ones_end);
  }
  await_turn(start);  // first, because the rest may throw bad_alloc
  const pending_ptr one = next();
  std::erase(queue_, one);
  one->made.cancel();  // the waiting requests continue after this turn, with or without a reply
  note_turn(*one);
  was_metrics_ = admin_pages::is_metrics(one->of.path);
  make_now(*one);
  const auto end = clock::now();
  rests_until_ = end + (end - start);
}

/// Drops pending replies for which only closed connections wait.
void shared_answers::drop_unwaited() {
  std::erase_if(queue_, [](const pending_ptr& each) {
    const bool is_waited_for =
        std::ranges::any_of(each->waiting, [](const auto& one) { return !one->is_closed; });
    if (!is_waited_for) each->made.cancel();
    return !is_waited_for;
  });
}

/// The pending reply to make next: for /metrics, but not twice in a row while others wait;
/// otherwise for the peer whose last turn is the oldest.
shared_answers::pending_ptr shared_answers::next() {
  const auto rank = [this](const pending_ptr& each) {
    std::uint64_t last_turn = turns_;
    for (const auto& one : each->waiting) {
      const auto found = last_turns_.find(one->peer);
      last_turn = std::min(last_turn, found == last_turns_.end() ? 0 : found->second);
    }
    const bool is_first = !was_metrics_ && admin_pages::is_metrics(each->of.path);
    return std::tuple{!is_first, last_turn};
  };
  return *std::ranges::min_element(queue_, {}, rank);
}

/// Records the current turn for the peers that wait for `of`. Forgets peers that no longer
/// wait.
void shared_answers::note_turn(const pending& of) {
  ++turns_;
  std::erase_if(last_turns_, [this](const auto& known) {
    return std::ranges::none_of(queue_, [&](const pending_ptr& each) {
      return std::ranges::any_of(each->waiting,
                                 [&](const auto& one) { return one->peer == known.first; });
    });
  });
  for (const auto& one : of.waiting) last_turns_[one->peer] = turns_;
}

void shared_answers::make_now(pending& one) {
  auto reply = std::make_unique<admin_reply>(pages_.answer("GET", one.of.path, one.of.form));
  reply->body.shrink_to_fit();
  const std::size_t bytes = reply->body.capacity();
  *held_ += bytes;
  one.reply = shared_reply{reply.release(), [bytes, held = held_](const admin_reply* gone) {
                             *held -= bytes;
                             delete gone;
                           }};
}

}  // namespace scattergate::telemetry
