#include "telemetry/fleet/fleet_sink.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <ctime>
#include <thread>
#include <utility>

#include <unistd.h>

#include "config/options/catalog_uri.hpp"
#include "config/options/options.hpp"
#include "fleet/flush.hpp"
#include "fleet/stored_ledger.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

using config::mongo_result;
using std::chrono::milliseconds;

/// The longest wait for the server, and the longest delay before a failed flush is repeated.
constexpr milliseconds most_patience{5'000};
constexpr milliseconds try_again{5'000};
/// In the last turn: the delay before a failed flush is repeated, and the shortest wait for the
/// server.
constexpr milliseconds last_pause{250};
constexpr milliseconds least_patience{500};
/// How long the last attempt may take if it is urgent; otherwise most_patience.
constexpr milliseconds last_moment{2'000};

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Reads the connection string again, because the file may have changed.
mongo_result<std::string> read_uri(const std::string& file) {
  auto read = config::read_uri_file(file);
  if (read) return std::move(read->text);
  return config::mongo_error{config::mongo_failure::bad_uri, 0, to_string(read.error())};
}

}  // namespace

fleet_sink::fleet_sink(settings configured, fleet_ledger& ledger, fleet_counts counts,
                       std::function<fleet::sidecar_facts()> describe)
    : settings_(std::move(configured)),
      ledger_(ledger),
      counts_(counts),
      describe_(std::move(describe)),
      token_(fleet::random_id()),
      thread_(*this, {"fleet", condition_kind::fleet_failing, settings_.database,
                      settings_.conditions, &counts_.failures}) {}

fleet_sink::~fleet_sink() {
  ledger_.on_ready({});
  stop_.request_stop();
  thread_.close();
}

void fleet_sink::start() {
  if (settings_.uri_file.empty()) return;
  const auto uri = config::read_uri_file(settings_.uri_file);
  if (uri && uri->warning) {
    log::write(
        log::severity::warning, log::component::audit, 5028,
        "The fleet's connection string isn't secret; every user of this host can read it",
        {{"detail", to_string(*uri->warning)}});
  }
  ledger_.on_ready([this] { thread_.wake(); });
  thread_.start();
}

void fleet_sink::finish(clock::time_point deadline, bool is_urgent,
                        std::function<bool()> save) {
  if (settings_.uri_file.empty()) return;
  const auto now = clock::now();
  deadline_ = is_urgent ? now : deadline;
  end_ = std::max(deadline_, now + (is_urgent ? last_moment : most_patience));
  save_ = std::move(save);
  thread_.end_soon();
  if (!thread_.has_ended_by(end_)) stop_.request_stop();
  thread_.close();
}

sink::outcome fleet_sink::run_turn(bool is_last) {
  if (is_last) {
    flush_the_rest();
    return {};
  }
  counts_.waiting = ledger_.snapshot().waiting;  // the attempt may last
  const auto came = try_once(most_patience);
  counts_.waiting = ledger_.snapshot().waiting;
  if (came) {
    if (*came == attempt::not_ours) counts_.failures.fetch_add(1, std::memory_order_relaxed);
    return {text::result<void>{}, clock::now() + settings_.interval};
  }
  disconnect(came.error());
  return {text::failure(came.error().text),
          clock::now() + std::min(settings_.interval, try_again)};
}

mongo_result<fleet_sink::attempt> fleet_sink::try_once(milliseconds patience) {
  const fleet_ledger::view now = ledger_.snapshot();
  if (now.uuid.empty()) return attempt::done;  // the ledger's first save wakes this thread
  if (counts_.fresh_at.load() == clock::time_point{}) counts_.fresh_at = clock::now();
  if (!database_) {
    const auto uri = read_uri(settings_.uri_file);
    if (!uri) return uri.error();
    auto opened = fleet::database::open(*uri, settings_.database, patience, stop_.get_token());
    if (!opened) return opened.error();
    database_ = *std::move(opened);
  }
  const auto clocks = database_->read_clocks();
  if (!clocks) return clocks.error();
  ledger_.set_server_time(clocks->server);
  const auto is_held = hold_lease(now);
  if (!is_held) return is_held.error();
  // If a copy of this sidecar holds the name, that copy writes the document that both share.
  if (*is_held || !lease_->is_held_by_copy()) {
    if (const auto said = say_facts(now, *clocks); !said) return said.error();
  }
  if (!*is_held) return attempt::not_ours;
  if (now.frozen == nullptr) {
    if (const auto checked = check_history(now); !checked) return checked.error();
  } else {
    if (const auto flushed = flush(now, clocks->server); !flushed) return flushed.error();
  }
  counts_.flushed_at = std::time(nullptr);
  counts_.fresh_at = clock::now();
  return attempt::done;
}

void fleet_sink::disconnect(const config::mongo_error& after) {
  if (database_) database_->give_up_after(after);
  database_.reset();
}

mongo_result<bool> fleet_sink::hold_lease(const fleet_ledger::view& now) {
  if (!lease_ || leased_uuid_ != now.uuid) {
    if (lease_) lease_->release(*database_);
    lease_ = std::make_unique<fleet::lease>(
        fleet::lease::owner{settings_.name, now.uuid, token_, host_name()},
        fleet::lease::duration_for(settings_.interval));
    leased_uuid_ = now.uuid;
  }
  const clock::time_point asked = settings_.lease_clock();
  const auto standing = lease_->renew(*database_, asked);
  if (!standing) return standing.error();
  const bool is_held = *standing == fleet::lease::standing::held;
  lease_ends_ = asked + fleet::lease::duration_for(settings_.interval);
  if (settings_.on_name) settings_.on_name(is_held);
  if (!is_held) {
    is_name_taken_ = true;
    if (settings_.conditions != nullptr) {
      settings_.conditions->raise(condition_kind::fleet_name_taken, settings_.name,
                                  "held by " + lease_->other());
    }
  } else if (std::exchange(is_name_taken_, false) && settings_.conditions != nullptr) {
    settings_.conditions->clear(condition_kind::fleet_name_taken, settings_.name);
  }
  return is_held;
}

mongo_result<void> fleet_sink::say_facts(const fleet_ledger::view& now,
                                         const fleet::database::clocks& clocks) {
  fleet::sidecar_facts facts = describe_();
  facts.name = settings_.name;
  facts.name_holder = lease_->other();
  facts.skew = clocks.skew;
  facts.expires_at = clocks.server + settings_.retain + fleet::records_outlive_delta;
  facts.lag = now.lag;
  facts.waiting = now.waiting;
  facts.dropped = counts_.dropped;
  return fleet::write_facts(*database_, now.uuid, token_, facts);
}

mongo_result<void> fleet_sink::check_history(const fleet_ledger::view& now) {
  if (now.is_confirmed) return {};
  const auto standing = fleet::standing_of(*database_, now.uuid, now.acknowledged);
  if (!standing) return standing.error();
  if (*standing == fleet::file_standing::superseded) {
    start_new_ledger();
    return {};
  }
  if (*standing == fleet::file_standing::unknown) {
    report_dropped(ledger_.drop_rest_older_than(settings_.retain));
  }
  ledger_.confirm();
  return {};
}

mongo_result<void> fleet_sink::flush(const fleet_ledger::view& now,
                                     digest::wall_time server_time) {
  const fleet::flush_identity by{
      now.uuid, token_,
      [this] { return settings_.lease_clock() < lease_ends_ && clock::now() < ends_at_; }};
  const auto ended = fleet::flush(*database_, by, *now.frozen, server_time);
  if (!ended) return ended.error();
  switch (*ended) {
    case fleet::flush_end::acknowledged:
      ledger_.acknowledge(now.frozen->number);
      ledger_.confirm();
      counts_.flushes.fetch_add(1, std::memory_order_relaxed);
      break;
    case fleet::flush_end::superseded:
      start_new_ledger();
      break;
    case fleet::flush_end::expired:
      drop(now);
      break;
  }
  return {};
}

void fleet_sink::start_new_ledger() {
  const std::uint64_t dropped = ledger_.start_new_ledger();
  counts_.dropped.fetch_add(dropped, std::memory_order_relaxed);
  log::write(log::severity::warning, log::component::audit, 5025,
             "The state file is an old copy; its counts for the fleet's database are dropped",
             {{"name", settings_.name}, {"commands", static_cast<std::int64_t>(dropped)}});
}

void fleet_sink::drop(const fleet_ledger::view& now) {
  report_dropped(ledger_.drop(now.frozen->number) +
                 ledger_.drop_rest_older_than(settings_.retain));
  ledger_.confirm();
}

void fleet_sink::report_dropped(std::uint64_t dropped) {
  if (dropped == 0) return;
  counts_.dropped.fetch_add(dropped, std::memory_order_relaxed);
  log::write(log::severity::warning, log::component::audit, 5026,
             "Counts for the fleet's database are older than fleet.retain; they are dropped",
             {{"name", settings_.name}, {"commands", static_cast<std::int64_t>(dropped)}});
}

/// Flushes and saves alternately until nothing is left, another daemon holds the name, or the
/// deadline passes.
void fleet_sink::flush_the_rest() {
  text::problem last = text::failure("drain.grace ended before all counts were flushed");
  ends_at_ = end_;
  for (bool is_left = true; is_left;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - clock::now());
    const auto came = try_once(std::clamp(left, least_patience, most_patience));
    if (!came) {
      disconnect(came.error());
      last = text::failure(came.error().text);
    } else if (*came == attempt::not_ours) {
      last = text::failure("another daemon has this fleet.name");
      break;
    }
    const bool is_saved = ledger_.snapshot().frozen != nullptr || (save_ && save_());
    if (!is_saved) last = text::failure("the state file can't be written");
    is_left = ledger_.snapshot().waiting != 0 || !is_saved;
    if (!is_left || clock::now() >= deadline_) break;
    if (!came || !is_saved) std::this_thread::sleep_for(last_pause);
  }
  const std::uint64_t waiting = ledger_.snapshot().waiting;
  if (waiting != 0) {
    log::write(log::severity::warning, log::component::audit, 5027,
               "Not all counts are in the fleet's database at the exit; the next start writes "
               "the rest",
               {{"commands", static_cast<std::int64_t>(waiting)}, {"error", to_string(last)}});
  }
  if (lease_ && database_) lease_->release(*database_);
  counts_.waiting = waiting;
}

fleet_sink::settings fleet_settings_of(const config::options& from,
                                       condition_board& conditions) {
  return {.name = from.fleet.name,
          .uri_file = from.fleet.uri_file,
          .database = from.fleet.database,
          .interval = from.fleet.interval,
          .retain = from.fleet.retain,
          .conditions = &conditions};
}

}  // namespace scattergate::telemetry
