#include "telemetry/tap/live_tap.hpp"

#include <algorithm>
#include <utility>

#include "digest/json.hpp"
#include "digest/labels.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "text/glob.hpp"
#include "text/json_writer.hpp"
#include "text/percent.hpp"
#include "wire/label_table.hpp"
#include "wire/limits.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {
namespace {

constexpr wire::label_table<tapped_end> end_labels{{
    {tapped_end::ok, "ok"},
    {tapped_end::error, "error"},
    {tapped_end::rejected, "rejected"},
    {tapped_end::unanswered, "unanswered"},
    {tapped_end::unread, "unread"},
}};

std::string_view label_or_nothing(const std::optional<finding_action>& action) noexcept {
  return action ? label(*action) : std::string_view{};
}

void append_end(text::json_writer& to, const tapped_command& of) {
  to.text("end", label(of.end));
  if (of.end != tapped_end::error) {
    to.null("code");
    return to.null("codeName");
  }
  const std::size_t place = error_place(of.code);
  to.number("code", of.code);
  to.text_or_null("codeName", place == 0 ? std::string_view{} : error_name(place));
}

using routing::routing_class;

constexpr const char* unknown_parameter =
    "known parameters: namespace=GLOB, routing=CLASS, findings=1; each at most once";
constexpr const char* no_glob = "namespace: the glob is longer than any name";
constexpr const char* no_class =
    "routing: expected unsharded, single_shard, multi_shard, scatter_gather, not_routed or "
    "unknown";
constexpr const char* no_switch = "findings: expected 1 or 0";

/// Parses one parameter into `to`.
text::result<void> read(std::string_view name, const std::string& value, tap_filter& to) {
  if (name == "namespace" && to.name_space.empty()) {
    to.name_space = value;
    if (value.size() > wire::limits::max_namespace_bytes) return text::failure(no_glob);
  } else if (name == "routing" && !to.routing) {
    to.routing = digest::enumerator_with_label<routing_class>(std::string_view{value});
    if (!to.routing) return text::failure(no_class);
  } else if (name == "findings" && !to.is_findings) {
    to.is_findings = value == "1";
    if (value != "1" && value != "0") return text::failure(no_switch);
  } else {
    return text::failure(unknown_parameter);
  }
  return {};
}

}  // namespace

std::string_view label(tapped_end end) noexcept {
  return end_labels[end];
}

std::string tapped_command::name_space() const {
  if (details == nullptr || details->is_shared()) return {};
  return wire::namespace_view{details->database, details->collection}.full_name();
}

std::string tapped_json(const tapped_command& of, const both_clocks& now) {
  const bool has_shape = of.details != nullptr && !of.details->is_shared();
  const auto age =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(now.steady - of.at);
  std::string json;
  text::json_writer to{json};
  to.object();
  to.time("ts", now.wall - age);
  to.text_or_null("ns", of.name_space());
  to.text("command", routing::name_of(of.command));
  to.text("routing", label(of.routing));
  to.text_or_null("reason", label(of.why));
  to.text_or_null("action", label_or_nothing(of.action));
  to.text_or_null("dryRun", label_or_nothing(of.dry_run));
  to.text_or_null("rule", has_shape ? std::string_view{of.details->rule} : std::string_view{});
  to.number_or_null("shards", of.shards);
  digest::append_millis(to, "durationMillis", of.duration);
  append_end(to, of);
  to.text_or_null("shapeHash", has_shape && of.shape_hash != 0
                                   ? routing::shape_hash_text(of.shape_hash)
                                   : std::string{});
  to.raw_or_null(
      "shape", has_shape ? std::string_view{of.details->what.shape_json} : std::string_view{});
  to.text_or_null("traceId", of.trace ? wire::trace_id_text(of.trace) : std::string{});
  to.text_or_null("appName", has_shape ? of.app() : std::string_view{});
  to.end();
  return json;
}

bool live_tap::admit(routing::routing_class routing, bool is_finding) noexcept {
  const bool is_rare = is_finding || routing == routing::routing_class::scatter_gather;
  const std::size_t kept = is_rare ? 0 : kept_for_rare;
  std::size_t room = room_.load(std::memory_order_relaxed);
  while (room > kept) {
    if (room_.compare_exchange_weak(room, room - 1, std::memory_order_relaxed)) return true;
  }
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void live_tap::push(tapped_command command) noexcept {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (lock && waiting_.size() < waiting_.capacity()) {
    waiting_.push_back(std::move(command));
  } else {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }
}

void live_tap::listen(tap_interest interest) {
  {
    const std::lock_guard lock{mutex_};
    if (waiting_.capacity() == 0) {
      waiting_.reserve(capacity);
      room_.store(capacity, std::memory_order_relaxed);
    }
  }
  interest_.store(interest, std::memory_order_relaxed);
}

void live_tap::end() noexcept {
  interest_.store({}, std::memory_order_relaxed);
  std::vector<tapped_command> gone;
  const std::lock_guard lock{mutex_};
  waiting_.swap(gone);
  room_.store(0, std::memory_order_relaxed);
}

void live_tap::drain_into(std::vector<tapped_command>& into) {
  into.clear();
  into.reserve(capacity);
  const std::lock_guard lock{mutex_};
  if (waiting_.capacity() != 0) waiting_.swap(into);
}

void live_tap::grant(std::size_t more) noexcept {
  std::size_t room = room_.load(std::memory_order_relaxed);
  while (!room_.compare_exchange_weak(room, std::min(room + more, capacity),
                                      std::memory_order_relaxed)) {
  }
}

tap_interest tap_filter::interest() const noexcept {
  tap_interest all;
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    const auto each = static_cast<routing_class>(i);
    if (routing && *routing != each) continue;
    all = all | tap_interest::in(each, true);
    if (!is_findings) all = all | tap_interest::in(each, false);
  }
  return all;
}

bool tap_filter::accepts(const tapped_command& one) const {
  if (is_findings && !one.action) return false;
  if (routing && *routing != one.routing) return false;
  return name_space.empty() || text::glob_matches(name_space, one.name_space());
}

text::result<tap_filter> tap_filter_of(std::string_view target) {
  tap_filter made;
  const std::size_t at = target.find('?');
  std::string_view left = at == target.npos ? std::string_view{} : target.substr(at + 1);
  while (!left.empty()) {
    const std::string_view one = left.substr(0, left.find('&'));
    left.remove_prefix(std::min(one.size() + 1, left.size()));
    const std::size_t equals = one.find('=');
    const std::string_view value =
        equals == one.npos ? std::string_view{} : one.substr(equals + 1);
    const auto taken = read(one.substr(0, equals), text::percent_decoded(value), made);
    if (!taken) return taken.error();
  }
  return made;
}

}  // namespace scattergate::telemetry
