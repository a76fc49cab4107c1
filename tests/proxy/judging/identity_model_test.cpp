#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/proxy/authentication_messages.hpp"
#include "tests/proxy/fixture.hpp"
#include "tests/support/sanitizer.hpp"

/// A client begins, aborts, interleaves and hides exchanges: it never passes as another user.
/// Random conversations with a model of mongos, which knows who is there.
namespace scattergate::proxy {
namespace {

/// One command of the client's.
struct move {
  enum class kind : std::uint8_t { greet, start, plain, opaque_start, go_on, log_out, find };
  kind what{};
  std::string user;  ///< empty in a greeting: no speculative start
  std::string database = "admin";
  std::string app;
  int conversation = 1;
  bool is_right = true;    ///< the password, the proof
  bool is_silent = false;  ///< requests no reply
  bool is_hidden = false;  ///< in a message that can't be read
};

struct known_account {
  std::string name;
  std::string database;
  bool shows_its_name = true;
};

/// The client's users, as mongos knows them.
struct truth {
  std::vector<known_account> accounts;
  std::string app;
  [[nodiscard]] std::string user() const {
    if (accounts.empty() || !accounts.back().shows_its_name) return {};
    return accounts.back().name;
  }
  [[nodiscard]] bool has(std::string_view user) const {
    return std::ranges::any_of(accounts, [&](const auto& each) { return each.name == user; });
  }
};

/// mongo: sasl_commands.cpp, authorization_session_impl.cpp, client_metadata.cpp.
class model_mongos {
 public:
  enum class kind : std::uint8_t {
    current,  ///< 6.0 and later: one user per connection, one conversation, number 1
    old,      ///< up to 5.0: one user per database
    many,     ///< as old, but distinguishes conversations: no mongos does, a substitute may
  };
  explicit model_mongos(kind what) : what_(what) {}

  /// The reply.
  std::string answer(const move& asked) {
    switch (asked.what) {
      case move::kind::greet:
        return greet(asked);
      case move::kind::start:
      case move::kind::plain:
      case move::kind::opaque_start: {
        const std::string reply = start(asked);
        return reply.empty() ? refusal : '{' + reply + R"(,"ok":1})";
      }
      case move::kind::go_on:
        return go_on(asked);
      case move::kind::log_out:
        std::erase_if(state_.accounts,
                      [&](const auto& each) { return each.database == asked.database; });
        break;
      case move::kind::find:
        break;
    }
    return R"({"ok":1})";
  }

  [[nodiscard]] const truth& state() const { return state_; }

 private:
  struct session {
    int id;
    known_account who;
  };
  static constexpr const char* refusal = R"({"ok":0,"code":18})";

  std::string greet(const move& asked) {
    const bool is_first = !std::exchange(has_been_greeted_, true);
    if (!asked.app.empty() && !is_first) return refusal;
    if (!asked.app.empty()) state_.app = asked.app;
    const std::string begun = asked.user.empty() ? std::string{} : start(asked);
    if (begun.empty()) return R"({"isWritablePrimary":true,"ok":1})";
    return R"({"isWritablePrimary":true,"speculativeAuthenticate":{)" + begun + R"(},"ok":1})";
  }

  std::string start(const move& asked) {
    if (what_ != kind::many) sessions_.clear();
    if (!asked.is_right && asked.what != move::kind::start) return {};
    const bool shows = asked.what != move::kind::opaque_start;
    known_account who{asked.user, asked.database, shows};
    const int id = what_ == kind::many ? ++last_id_ : 1;
    if (asked.what == move::kind::plain) return add(std::move(who)) ? step(id, true) : "";
    sessions_.push_back({id, std::move(who)});
    return step(id, false);
  }

  std::string go_on(const move& asked) {
    const auto found = std::ranges::find(sessions_, asked.conversation, &session::id);
    if (found == sessions_.end()) return refusal;
    const session now = *found;
    sessions_.erase(found);
    const bool is_well = asked.is_right && asked.database == now.who.database && add(now.who);
    return is_well ? '{' + step(now.id, true) + R"(,"ok":1})" : refusal;
  }

  bool add(known_account who) {
    if (what_ == kind::current && !state_.accounts.empty()) {
      const auto& there = state_.accounts.front();
      return there.name == who.name && there.database == who.database;
    }
    std::erase_if(state_.accounts,
                  [&](const auto& each) { return each.database == who.database; });
    state_.accounts.push_back(std::move(who));
    return true;
  }

  static std::string step(int id, bool is_done) {
    return R"("conversationId":)" + std::to_string(id) + R"(,"done":)" +
           (is_done ? "true" : "false") + R"(,"payload":"")";
  }

  kind what_;
  truth state_;
  std::vector<session> sessions_;
  int last_id_ = 0;
  bool has_been_greeted_ = false;
};

std::string json_of(const move& what) {
  switch (what.what) {
    case move::kind::greet:
      return hello_of(what.app, what.user);
    case move::kind::start:
      return scram_start(what.user, what.database);
    case move::kind::plain:
      return plain_start(what.user, what.database);
    case move::kind::opaque_start:
      return '{' + start_fields("MONGODB-OIDC", "") + R"(,"$db":")" + what.database + R"("})";
    case move::kind::go_on:
      return sasl_continue(what.conversation, what.database);
    case move::kind::log_out:
      return log_out_of(what.database);
    case move::kind::find:
      return R"({"find":"items","filter":{"x":1},"$db":"app"})";
  }
  return {};
}

/// An unreadable message: its compressor is unknown.
bytes hidden(const bytes& message) {
  bytes packed(message.begin(), message.begin() + wire::limits::header_bytes);
  const std::int32_t length = static_cast<std::int32_t>(message.size()) + 9;
  const auto inner_op = wire::opcode::msg;
  const auto packed_op = wire::opcode::compressed;
  const auto inner_size = length;
  std::memcpy(packed.data(), &length, sizeof length);
  std::memcpy(packed.data() + 12, &packed_op, sizeof packed_op);
  append(packed, &inner_op, sizeof inner_op);
  append(packed, &inner_size, sizeof inner_size);
  packed.push_back(std::byte{77});
  packed.insert(packed.end(), message.begin() + wire::limits::header_bytes, message.end());
  return packed;
}

/// One connection: the client's moves, in order, on their way to mongos, and its replies.
class conversation : public fsm_fixture {
 public:
  void TestBody() override {}

  void begin(model_mongos::kind what, bool has_rule) {
    mongos.emplace(what);
    config::rule rule;
    rule.name = "not-bob";
    rule.match.user = "bob";
    rule.action = config::rule_action::reject;
    if (has_rule) use({rule});
    has_rule_ = has_rule;
  }

  void ask(const move& what) {
    const std::uint32_t flags = what.is_silent ? wire::msg_flag::more_to_come : 0;
    bytes message = request(++last_request_, json_of(what), flags);
    written_.push_back({what, last_request_, what.is_hidden ? hidden(message) : message});
    if (what.is_hidden || what.is_silent) is_honest_ = false;
    if (what.what == move::kind::start || what.what == move::kind::opaque_start ||
        !what.user.empty()) {
      ++starts_;
    }
    forward_requests();
  }

  /// mongos takes one request, and replies.
  bool let_mongos_answer() {
    if (forwarded_.empty()) return false;
    const auto next = std::move(forwarded_.front());
    forwarded_.pop_front();
    const std::string body = mongos->answer(next.what);
    if (next.what.is_silent) return true;
    const bytes message = reply(next.id, body);
    replies_.insert(replies_.end(), message.begin(), message.end());
    sent_ += message.size();
    ends_.push_back({sent_, mongos->state()});
    return true;
  }

  /// So many bytes more of what mongos has sent arrive.
  bool deliver(std::size_t bytes) {
    const std::size_t before = arrived_;
    arrived_ = std::min(arrived_ + bytes, replies_.size());
    take_replies();
    return arrived_ != before;
  }

  void settle() {
    while (let_mongos_answer() || deliver(replies_.size())) {
    }
    check_quiet();
  }

 private:
  struct sent_move {
    move what;
    std::int32_t id;
    bytes message;
  };
  struct reply_end {
    std::uint64_t at;
    truth then;
  };

  void forward_requests() {
    while (!written_.empty()) {
      const auto& next = written_.front();
      const step got = fsm.next_request(next.message, now);
      if (got.what == step::verb::wait) return;
      ASSERT_TRUE(got.what == step::verb::forward || got.what == step::verb::drop);
      ASSERT_EQ(got.bytes, next.message.size());
      if (next.what.what == move::kind::find) check_judged(got.what == step::verb::drop);
      if (got.what == step::verb::forward) forwarded_.push_back(next);
      written_.pop_front();
    }
    check();
  }

  void take_replies() {
    while (true) {
      const auto unread = std::span{replies_}.subspan(taken_, arrived_ - taken_);
      const step got = fsm.next_reply(unread, now);
      if (got.what == step::verb::need) break;
      if (got.what != step::verb::forward) {
        ASSERT_EQ(got.what, step::verb::inject);
        continue;
      }
      taken_ += got.bytes;
      while (!ends_.empty() && ends_.front().at <= taken_) {
        confirmed_ = std::move(ends_.front().then);
        ends_.pop_front();
      }
      check();
    }
    forward_requests();
  }

  /// Only a user that mongos has confirmed in a received reply is the client's user.
  void check() {
    const std::string user{client.user()};
    ASSERT_TRUE(user.empty() || confirmed_.has(user)) << user;
    ASSERT_TRUE(client.app().empty() || client.app() == confirmed_.app) << client.app();
  }

  /// Of an honest client a rule by user is asked with who mongos will find there.
  void check_judged(bool is_rejected) {
    if (!is_honest_ || !has_rule_ || is_forgetful()) return;
    ASSERT_EQ(is_rejected, mongos->state().user() == "bob");
  }

  void check_quiet() {
    ASSERT_TRUE(written_.empty());
    if (!is_honest_ || is_forgetful()) return;
    ASSERT_EQ(client.user(), mongos->state().user());
    ASSERT_EQ(client.app(), mongos->state().app);
  }

  /// No client has as many exchanges under way as this: names may be missing.
  [[nodiscard]] bool is_forgetful() const { return starts_ > 4; }

  std::optional<model_mongos> mongos;
  std::deque<sent_move> written_;
  std::deque<sent_move> forwarded_;
  bytes replies_;
  std::deque<reply_end> ends_;
  truth confirmed_;  ///< what mongos knew at the last reply that has come
  std::size_t arrived_ = 0;
  std::size_t taken_ = 0;
  std::uint64_t sent_ = 0;
  std::int32_t last_request_ = 0;
  int starts_ = 0;
  bool is_honest_ = true;
  bool has_rule_ = false;
};

class dice {
 public:
  explicit dice(unsigned seed) : random_(seed) {}
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  bool once_in(int times) { return below(times) == 0; }
  template <std::size_t Size>
  const char* one_of(const char* const (&names)[Size]) {
    return names[below(static_cast<int>(Size))];
  }

 private:
  std::mt19937 random_;
};

move any_move(dice& roll, bool is_honest) {
  move made;
  made.what = static_cast<move::kind>(roll.below(7));
  made.database = roll.one_of({"admin", "app"});
  made.conversation = roll.once_in(3) ? 2 + roll.below(2) : 1;
  made.is_right = !roll.once_in(4);
  const bool is_greeting = made.what == move::kind::greet;
  if (!is_greeting || roll.once_in(2)) made.user = roll.one_of({"ann", "bob", "eve"});
  if (is_greeting) {
    made.database = "admin";
    made.app = roll.one_of({"", "shop", "stock"});
  }
  if (is_honest) return made;
  made.is_silent = roll.once_in(8);
  made.is_hidden = roll.once_in(8);
  // Known limits: a logout that hides, and a hidden exchange in the place of who is there.
  const bool is_unseen = made.is_hidden || made.is_silent;
  if (made.is_hidden && made.what == move::kind::log_out) made.is_hidden = false;
  if (is_unseen && !is_greeting && made.what != move::kind::log_out) made.database = "back";
  return made;
}

TEST(identity_model, takes_no_client_for_another) {
  for (unsigned seed = 0; seed < tests::repetitions(3'000); ++seed) {
    dice roll{seed};
    conversation talk;
    const auto kind = static_cast<model_mongos::kind>(roll.below(3));
    talk.begin(kind, roll.once_in(2));
    const bool is_honest = roll.once_in(2);
    const bool is_patient = roll.once_in(3);  // waits for each reply
    for (int i = 0; i < 24 && !testing::Test::HasFatalFailure(); ++i) {
      if (roll.once_in(2)) talk.ask(any_move(roll, is_honest));
      if (roll.once_in(2)) talk.let_mongos_answer();
      if (roll.once_in(2)) talk.deliver(static_cast<std::size_t>(roll.below(300)));
      if (is_patient) talk.settle();
    }
    talk.settle();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace scattergate::proxy
