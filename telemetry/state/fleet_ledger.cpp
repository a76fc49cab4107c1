#include "telemetry/state/fleet_ledger.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "digest/stored.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;

/// The interval, shortened by up to 8 %, so that sidecars that start together don't flush
/// together.
milliseconds jittered(milliseconds interval) {
  thread_local std::minstd_rand random{std::random_device{}()};
  constexpr int whole = 100;
  std::uniform_int_distribution<int> percent{92, 100};
  return interval * percent(random) / whole;
}

/// A delta may be frozen up to this part of an interval early (1/parts_too_early), so that one
/// write per interval is enough if the file is written as often as deltas are flushed.
constexpr int parts_too_early = 8;

bool has_counts(const digest::table& of) noexcept {
  return of.all().commands != 0 || of.evicted_rows() != 0;
}

}  // namespace

fleet_ledger::fleet_ledger(settings configured)
    : settings_(configured), flushed_up_to_(clock::now()) {}

void fleet_ledger::restore(const std::optional<fleet::stored_ledger>& found) {
  fleet::stored_ledger from;
  if (found) {
    from = *found;
  } else {
    from.uuid = fleet::random_uuid();
  }
  digest::stored_digest rest{digest::table{settings_.max_rows}, std::nullopt};
  if (!from.rest.empty()) rest = digest::read_stored(from.rest, settings_.max_rows);
  std::shared_ptr<const fleet::frozen_delta> frozen;
  if (from.frozen) {
    // State files before 2026-11-27 have no `expires_at`.
    auto& expires_at = from.frozen->expires_at;
    if (expires_at == digest::wall_time{}) expires_at = from.frozen->at + settings_.retain;
    frozen = std::make_shared<const fleet::frozen_delta>(*std::move(from.frozen));
  }
  const std::lock_guard lock{mutex_};
  uuid_ = std::move(from.uuid);
  acknowledged_ = from.acknowledged;
  frozen_ = std::move(frozen);
  frozen_at_ = clock::now();
  restored_ = std::move(rest.rows);
  restored_at_ = from.rest_at;
  is_confirmed_ = false;
}

bool fleet_ledger::is_due(clock::time_point now) const {
  return !uuid_.empty() && is_confirmed_ && frozen_ == nullptr &&
         (is_hurried_ || now >= freeze_next_ - settings_.interval / parts_too_early);
}

fleet_ledger::clock::time_point fleet_ledger::freezes_at() const {
  const std::lock_guard lock{mutex_};
  return freeze_next_;
}

std::string fleet_ledger::text(unflushed_digest& rest, clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (uuid_.empty()) return {};
  const digest::table* all = &rest.table();
  digest::table both{1};
  if (has_counts(restored_)) {
    both = digest::table{settings_.max_rows};
    both.add(restored_);
    both.add(*all);
    all = &both;
  }
  std::string rows = has_counts(*all) ? digest::stored_text(*all) : std::string{};
  const std::uint64_t commands = all->all().commands;
  if (!rows.empty() && is_due(now)) {
    freeze(std::exchange(rows, {}), commands, now);
    rest.clear();
    restored_ = digest::table{settings_.max_rows};
  }
  fleet::stored_ledger made{uuid_, acknowledged_, std::nullopt, std::move(rows),
                            is_confirmed_ ? server_time(now) : restored_at_};
  waiting_ = made.rest.empty() ? 0 : commands;
  if (frozen_ != nullptr) {
    made.frozen = *frozen_;
    waiting_ += frozen_->commands;
  }
  text_uuid_ = uuid_;
  text_frozen_ = frozen_ == nullptr ? 0 : frozen_->number;
  return fleet::stored_text(made);
}

void fleet_ledger::freeze(std::string rows, std::uint64_t commands, clock::time_point now) {
  const digest::wall_time at = server_time(now);
  frozen_ = std::make_shared<const fleet::frozen_delta>(
      fleet::frozen_delta{acknowledged_ + 1, fleet::random_id(), settings_.logical_shards, at,
                          at + settings_.retain, std::move(rows), commands});
  frozen_at_ = now;
  freeze_next_ = now + jittered(settings_.interval);
}

digest::wall_time fleet_ledger::server_time(clock::time_point now) const {
  return server_time_ +
         std::chrono::duration_cast<digest::wall_time::duration>(now - server_time_at_);
}

void fleet_ledger::note_saved() {
  std::function<void()> ready;
  {
    const std::lock_guard lock{mutex_};
    const bool is_new =
        text_uuid_ != saved_uuid_ || (text_frozen_ != 0 && text_frozen_ != saved_frozen_);
    saved_uuid_ = text_uuid_;
    saved_frozen_ = text_frozen_;
    if (is_new) ready = ready_;
  }
  if (ready) ready();
}

fleet_ledger::view fleet_ledger::snapshot(clock::time_point now) const {
  const std::lock_guard lock{mutex_};
  view seen;
  if (saved_uuid_ == uuid_) seen.uuid = uuid_;
  seen.acknowledged = acknowledged_;
  if (frozen_ != nullptr && saved_uuid_ == uuid_ && saved_frozen_ == frozen_->number) {
    seen.frozen = frozen_;
  }
  seen.is_confirmed = is_confirmed_;
  seen.waiting = waiting_;
  if (waiting_ != 0) {
    seen.lag = std::chrono::duration_cast<milliseconds>(now - flushed_up_to_);
  }
  return seen;
}

void fleet_ledger::confirm() {
  const std::lock_guard lock{mutex_};
  is_confirmed_ = true;
}

void fleet_ledger::set_server_time(digest::wall_time server, clock::time_point now) {
  const std::lock_guard lock{mutex_};
  server_time_ = server;
  server_time_at_ = now;
}

void fleet_ledger::acknowledge(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  if (frozen_ == nullptr || frozen_->number != number) return;
  acknowledged_ = number;
  waiting_ -= std::min(waiting_, frozen_->commands);
  flushed_up_to_ = frozen_at_;
  frozen_.reset();
}

std::uint64_t fleet_ledger::drop(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  if (frozen_ == nullptr || frozen_->number != number) return 0;
  acknowledged_ = number;
  waiting_ -= std::min(waiting_, frozen_->commands);
  return std::exchange(frozen_, nullptr)->commands;
}

std::uint64_t fleet_ledger::drop_rest_older_than(milliseconds age, clock::time_point now) {
  const std::lock_guard lock{mutex_};
  const digest::totals of = restored_.all();
  if (!of.to) return 0;
  // `of.to` is by this host's clock, which may have been wrong.
  const bool is_known = restored_at_ != digest::wall_time{};
  if (server_time(now) - (is_known ? restored_at_ : *of.to) <= age) return 0;
  restored_ = digest::table{settings_.max_rows};
  waiting_ -= std::min(waiting_, of.commands);
  return of.commands;
}

std::uint64_t fleet_ledger::start_new_ledger() {
  std::string uuid = fleet::random_uuid();
  const std::lock_guard lock{mutex_};
  std::uint64_t dropped = restored_.all().commands;
  if (frozen_ != nullptr) dropped += frozen_->commands;
  uuid_ = std::move(uuid);
  acknowledged_ = 0;
  frozen_.reset();
  restored_ = digest::table{settings_.max_rows};
  is_confirmed_ = true;
  waiting_ -= std::min(waiting_, dropped);
  return dropped;
}

void fleet_ledger::freeze_at_every_save() {
  const std::lock_guard lock{mutex_};
  is_hurried_ = true;
}

void fleet_ledger::on_ready(std::function<void()> ready) {
  const std::lock_guard lock{mutex_};
  ready_ = std::move(ready);
}

}  // namespace scattergate::telemetry
