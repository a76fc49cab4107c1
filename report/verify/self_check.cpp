#include "report/verify/self_check.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "report/verify/verifier.hpp"
#include "routing/scratch.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/samples/rate_gate.hpp"
#include "text/names.hpp"

namespace scattergate::report {
namespace {

namespace log = telemetry::log;
using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds poll_interval{200};
constexpr std::chrono::minutes between_lines{1};
constexpr std::size_t most_doubts = 16;
constexpr std::size_t longest_shape = 1024;

/// The shape of a command with a disagreement, without its values.
struct shape_of_command {
  std::string hash;
  std::string text;
};

shape_of_command shape_of(const std::vector<std::byte>& command) {
  const auto body = wire::document_view::from(command);
  const auto read = body ? wire::command_of(*body) : wire::wire_errc::bad_bson;
  if (!read) return {};
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  return {routing::shape_hash_text(routing::shape_hash(*read, memory)),
          routing::shape_json(*read, memory, longest_shape)};
}

}  // namespace

/// The work of the thread. Thread-safety: run() on the thread, end() on the owner's.
class self_check::checker {
 public:
  explicit checker(parts given)
      : parts_(std::move(given)),
        disagreement_lines_(between_lines),
        failure_lines_(between_lines) {}

  void run();

  /// Makes run() return soon.
  void end() noexcept;

 private:
  /// A disagreement that a moved chunk may explain.
  struct doubt {
    std::vector<std::byte> command;
    std::shared_ptr<const routing::catalog> judged_by;
    clock::time_point until;
  };

  void check_one(std::vector<std::byte> command, bool is_last_look);
  void look_again();
  [[nodiscard]] bool connect();
  void count(const explainable& what, const check& done);
  void report_failure(const config::mongo_error& error);
  void report_disagreement(const explainable& what, const check& done);

  parts parts_;
  std::unique_ptr<config::mongo_reader> mongos_;
  std::unique_ptr<verifier> verifier_;  // belongs to mongos_
  std::deque<doubt> doubts_;
  telemetry::rate_gate disagreement_lines_;
  telemetry::rate_gate failure_lines_;
  std::int64_t unlogged_disagreements_ = 0;
  std::int64_t unlogged_failures_ = 0;

  std::stop_source stop_;
};

self_check::self_check(parts given)
    : checker_(std::make_unique<checker>(std::move(given))),
      thread_([working = checker_.get()] { working->run(); }) {}

self_check::~self_check() {
  checker_->end();
  thread_.join();
}

void self_check::checker::end() noexcept {
  parts_.queue->stop();
  stop_.request_stop();
}

void self_check::checker::run() {
  log::set_thread_name("self-check");
  while (!parts_.queue->is_stopped()) {
    auto command = parts_.queue->wait_for_command(poll_interval);
    look_again();
    if (command) check_one(std::move(*command), parts_.patience.count() == 0);
  }
  verifier_.reset();
  mongos_.reset();
}

void self_check::checker::look_again() {
  if (doubts_.empty()) return;
  const auto catalog = parts_.catalog();
  const auto now = clock::now();
  for (std::size_t left = doubts_.size(); left != 0 && !parts_.queue->is_stopped(); --left) {
    doubt each = std::move(doubts_.front());
    doubts_.pop_front();
    if (each.judged_by == catalog && now < each.until) {
      doubts_.push_back(std::move(each));
    } else {
      check_one(std::move(each.command), true);
    }
  }
}

void self_check::checker::check_one(std::vector<std::byte> command, bool is_last_look) {
  const auto body = wire::document_view::from(command);
  const auto read = body ? wire::command_of(*body) : wire::wire_errc::bad_bson;
  if (!read || !connect()) return;
  const auto catalog = parts_.catalog();
  verifier_->set_catalog(catalog);
  for (const explainable& what : explainables_of(*read)) {
    const check done = verifier_->check_one(what);
    const bool has_room = doubts_.size() < most_doubts;
    if (done.result.is == outcome::disagreed && !is_last_look && has_room) {
      doubts_.push_back({std::move(command), catalog, clock::now() + parts_.patience});
      return;
    }
    count(what, done);
  }
}

bool self_check::checker::connect() {
  if (mongos_) return true;
  auto opened = parts_.open(stop_.get_token());
  if (!opened) {
    report_failure(opened.error());
    return false;
  }
  const auto server = (*opened)->connect();
  if (!server) {
    report_failure(server.error());
    return false;
  }
  if (!server->is_mongos) {
    report_failure({config::mongo_failure::not_mongos, 0, "the server is not a mongos"});
    return false;
  }
  mongos_ = std::move(*opened);
  verifier_ = std::make_unique<verifier>(*mongos_, parts_.catalog(),
                                         [this] { return parts_.catalog(); });
  return true;
}

void self_check::checker::count(const explainable& what, const check& done) {
  if (parts_.queue->is_stopped()) return;
  telemetry::check_facts& facts = parts_.queue->facts();
  switch (done.result.is) {
    case outcome::agreed:
      facts.agreed.fetch_add(1);
      break;
    case outcome::disagreed:
      facts.disagreed.fetch_add(1);
      report_disagreement(what, done);
      break;
    case outcome::failed:
      // mongos's error text may quote values of the command.
      report_failure(done.trouble.value_or(config::mongo_error{
          config::mongo_failure::command_failed, static_cast<std::int32_t>(done.plan.code),
          "mongos didn't explain a find"}));
      break;
    case outcome::not_compared:
      facts.incomparable.fetch_add(1);
      break;
  }
  if (!done.trouble) return;
  verifier_.reset();
  mongos_.reset();
}

void self_check::checker::report_failure(const config::mongo_error& error) {
  if (parts_.queue->is_stopped()) return;
  parts_.queue->facts().failed.fetch_add(1);
  ++unlogged_failures_;
  if (!failure_lines_.pass(clock::now())) return;
  log::write(log::severity::warning, log::component::routing, 6002,
             "Self-checks fail because mongos doesn't explain commands; traffic isn't affected",
             {{"reason", error.text},
              {"code", static_cast<std::int64_t>(error.code)},
              {"since", unlogged_failures_}});
  unlogged_failures_ = 0;
}

void self_check::checker::report_disagreement(const explainable& what, const check& done) {
  ++unlogged_disagreements_;
  if (!disagreement_lines_.pass(clock::now())) return;
  const shape_of_command shape = shape_of(what.command);
  log::write(log::severity::warning, log::component::routing, 6001,
             "A verdict differs from mongos's plan; findings about this command may be wrong",
             {{"ns", what.database + "." + what.collection},
              {"shapeHash", shape.hash},
              {"shape", shape.text},
              {"routing", std::string{label(done.ours.routing)}},
              {"reason", std::string{label(done.ours.why)}},
              {"fanout", done.ours.fanout ? text::listed(*done.ours.fanout, ",")
                                          : std::string{"unknown"}},
              {"stage", done.plan.stage},
              {"shards", text::listed(done.plan.shards, ",")},
              {"why", done.result.why},
              {"since", unlogged_disagreements_}});
  unlogged_disagreements_ = 0;
}

}  // namespace scattergate::report
