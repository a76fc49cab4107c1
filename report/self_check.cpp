#include "report/self_check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "routing/scratch.hpp"
#include "routing/shape.hpp"
#include "telemetry/log.hpp"

namespace scattergate::report {
namespace {

namespace log = telemetry::log;

constexpr std::chrono::milliseconds nap{200};
constexpr std::chrono::minutes between_lines{1};
constexpr std::size_t most_doubts = 16;
constexpr std::size_t longest_shape = 1024;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

/// What a disagreement's command looks like without its values.
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

self_check::self_check(parts given)
    : parts_(std::move(given)),
      disagreement_lines_(between_lines),
      failure_lines_(between_lines),
      thread_([this] { run(); }) {}

self_check::~self_check() {
  parts_.queue.stop();
  thread_.join();
}

void self_check::run() {
  log::set_thread_name("self-check");
  while (!parts_.queue.is_stopped()) {
    auto command = parts_.queue.take(nap);
    look_again();
    if (command) check_one(std::move(*command), parts_.patience.count() == 0);
  }
}

void self_check::look_again() {
  if (doubts_.empty()) return;
  const auto catalog = parts_.catalog();
  const auto now = clock::now();
  for (std::size_t left = doubts_.size(); left != 0 && !parts_.queue.is_stopped(); --left) {
    doubt each = std::move(doubts_.front());
    doubts_.pop_front();
    if (each.judged_by == catalog && now < each.until) {
      doubts_.push_back(std::move(each));
    } else {
      check_one(std::move(each.command), true);
    }
  }
}

void self_check::check_one(std::vector<std::byte> command, bool is_last_look) {
  const auto body = wire::document_view::from(command);
  const auto read = body ? wire::command_of(*body) : wire::wire_errc::bad_bson;
  if (!read || !connect()) return;
  const auto catalog = parts_.catalog();
  verifier_->use(catalog);
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

bool self_check::connect() {
  if (mongos_) return true;
  auto opened = parts_.open();
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
    report_failure({config::mongo_failure::not_mongos, 0, "what answers is no mongos"});
    return false;
  }
  mongos_ = std::move(*opened);
  verifier_ = std::make_unique<verifier>(*mongos_, parts_.catalog(), parts_.catalog);
  return true;
}

void self_check::count(const explainable& what, const check& done) {
  telemetry::check_facts& facts = parts_.queue.facts();
  switch (done.result.is) {
    case outcome::agreed:
      facts.agreed.fetch_add(1);
      break;
    case outcome::disagreed:
      facts.disagreed.fetch_add(1);
      report_disagreement(what, done);
      break;
    case outcome::failed:
      // mongos's words may cite values of the command.
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

void self_check::report_failure(const config::mongo_error& error) {
  parts_.queue.facts().failed.fetch_add(1);
  ++unlogged_failures_;
  if (!failure_lines_.pass(clock::now())) return;
  log::write(log::severity::warning, log::component::routing, 6002,
             "Self-checks fail: mongos explains nothing",
             {{"reason", error.text},
              {"code", static_cast<std::int64_t>(error.code)},
              {"since", unlogged_failures_}});
  unlogged_failures_ = 0;
}

void self_check::report_disagreement(const explainable& what, const check& done) {
  ++unlogged_disagreements_;
  if (!disagreement_lines_.pass(clock::now())) return;
  const shape_of_command shape = shape_of(what.command);
  log::write(log::severity::warning, log::component::routing, 6001,
             "A verdict and mongos's plan differ",
             {{"ns", what.database + "." + what.collection},
              {"shapeHash", shape.hash},
              {"shape", shape.text},
              {"routing", std::string{label(done.ours.routing)}},
              {"reason", std::string{label(done.ours.why)}},
              {"fanout", done.ours.fanout ? listed(*done.ours.fanout) : std::string{"unknown"}},
              {"stage", done.plan.stage},
              {"shards", listed(done.plan.shards)},
              {"why", done.result.why},
              {"since", unlogged_disagreements_}});
  unlogged_disagreements_ = 0;
}

}  // namespace scattergate::report
