#include "proxy/judging/client_identity.hpp"

#include <algorithm>

namespace scattergate::proxy {

using step = identity_claim::step;

std::unique_ptr<identity_claim> client_identity::claim(const wire::command& command,
                                                       routing::command_kind kind) {
  auto made = read_claim(command, kind);
  const bool begins_exchange = made->what == step::greet && made->begins != step::greet;
  if (made->what == step::greet && has_been_greeted_ && !begins_exchange) return nullptr;
  if (command.more_to_come) {
    // No reply will report the outcome.
    if (made->what != step::greet || begins_exchange) ++epoch_;
    if (made->what == step::log_out) {
      log_out(made->who.database);
      logged_out_at_ = epoch_;
    }
    return nullptr;
  }
  made->epoch = epoch_;
  made->is_counted = true;
  if (++under_way_ > max_claims) {
    made->app.clear();
    made->driver.clear();
    made->who.name.clear();
    made->who.is_unseen = true;
  }
  return made;
}

std::unique_ptr<identity_claim> client_identity::claim_unread() {
  ++epoch_;
  auto made = std::make_unique<identity_claim>();
  made->what = step::unread;
  made->epoch = epoch_;
  return made;
}

void client_identity::make_unknown() noexcept {
  if (std::exchange(is_untracked_, true)) return;
  known_as_ = 0;
  accounts_.clear();
  conversations_.clear();
}

void client_identity::settle(identity_claim& claim, const wire::reply_facts* reply) {
  if (claim.is_counted) --under_way_;
  if (reply == nullptr || !reply->readable || is_untracked_) return;
  if (!reply->ok) {
    if (claim.what == step::go_on) forget_conversation(claim.conversation);
    return;
  }
  switch (claim.what) {
    case step::greet:
      return greeted(claim, *reply);
    case step::start:
      return started(claim, *reply);
    case step::go_on:
      return continued(claim, *reply);
    case step::authenticate:
      return confirm(std::move(claim.who), claim);
    case step::log_out:
      return log_out(claim.who.database);
    case step::unread:
      if (reply->sasl_done) confirm({{}, {}, true}, claim);
      return;
  }
}

/// mongos takes the client's metadata from the first hello only, even if that has none. It
/// rejects metadata in a later hello (ClientMetadataCannotBeMutated).
void client_identity::greeted(identity_claim& claim, const wire::reply_facts& reply) {
  if (!std::exchange(has_been_greeted_, true)) {
    known_as_ = 0;
    app_ = std::move(claim.app);
    driver_ = std::move(claim.driver);
  }
  // If the reply has no speculativeAuthenticate, mongos hasn't started the exchange; the driver
  // then starts it by a separate command.
  if (!reply.is_speculative) return;
  if (claim.begins == step::start) started(claim, reply);
  if (claim.begins == step::authenticate) confirm(std::move(claim.who), claim);
}

void client_identity::started(identity_claim& claim, const wire::reply_facts& reply) {
  forget_conversation(reply.conversation);
  if (reply.sasl_done) return confirm(std::move(claim.who), claim);
  if (conversations_.size() == max_conversations) conversations_.erase(conversations_.begin());
  conversations_.push_back({reply.conversation, claim.epoch, std::move(claim.who)});
}

void client_identity::continued(identity_claim& claim, const wire::reply_facts& reply) {
  if (!reply.sasl_done) return;
  account who{{}, std::move(claim.who.database), true};
  const auto known = std::ranges::find(conversations_, claim.conversation, &conversation::id);
  if (known != conversations_.end()) {
    const bool is_same = known->epoch == claim.epoch && reply.conversation == known->id;
    if (is_same) who = std::move(known->who);
    forget_conversation(claim.conversation);
  }
  confirm(std::move(who), claim);
}

void client_identity::confirm(account who, const identity_claim& by) {
  has_authenticated_ = true;
  known_as_ = 0;
  log_out(who.database);                  // a database has at most one user on a connection
  if (by.epoch < logged_out_at_) return;  // an unanswered logout may have followed the request
  if (accounts_.size() == max_accounts) accounts_.erase(accounts_.begin());
  accounts_.push_back(std::move(who));
}

void client_identity::log_out(std::string_view database) noexcept {
  known_as_ = 0;
  std::erase_if(accounts_, [&](const account& each) { return each.database == database; });
}

void client_identity::forget_conversation(std::int64_t id) noexcept {
  std::erase_if(conversations_, [&](const conversation& each) { return each.id == id; });
  if (conversations_.empty()) conversations_.shrink_to_fit();
}

}  // namespace scattergate::proxy
