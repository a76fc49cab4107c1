#include "telemetry/samples/command_samples.hpp"

#include <utility>

#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "wire/bson_writer.hpp"
#include "wire/command.hpp"

namespace scattergate::telemetry {
namespace {

using text::json_writer;

constexpr std::chrono::milliseconds regular_interval{100};
constexpr std::chrono::milliseconds finding_interval{10};

std::chrono::nanoseconds if_kept(config::sample_content keep,
                                 std::chrono::nanoseconds interval) {
  return keep == config::sample_content::off ? std::chrono::nanoseconds{0} : interval;
}

}  // namespace

command_samples::command_samples(config::sample_content keep)
    : keep_(keep),
      regular_(if_kept(keep, regular_interval), 4),
      findings_(if_kept(keep, finding_interval)) {}

command_samples::sample command_samples::make(const wire::command& command,
                                              const routing::verdict& verdict, note of,
                                              routing::scratch& memory) const {
  sample made;
  made.shape_hash = routing::shape_hash(command, memory);
  made.command = verdict.command;
  made.routing = verdict.routing;
  made.is_finding = of.is_finding;
  made.trace = of.trace;
  made.ns = std::string{verdict.database} + "." + std::string{verdict.collection};
  made.shape = routing::shape_json(command, memory);
  if (keep_ == config::sample_content::values && !of.is_abridged) {
    made.body = wire::bare_command_of(command, longest_command);
  }
  return made;
}

void command_samples::store(const wire::command& command, const routing::verdict& verdict,
                            note of, routing::scratch& memory) {
  sample made = make(command, verdict, of, memory);
  // Writing the lines takes a while, and a worker must not wait for it.
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (!lock) return;
  if (const auto known = by_shape_.find(made.shape_hash); known != by_shape_.end()) {
    bytes_ -= known->second->bytes();
    samples_.erase(known->second);
    by_shape_.erase(known);
  }
  bytes_ += made.bytes();
  samples_.push_front(std::move(made));
  by_shape_.emplace(samples_.front().shape_hash, samples_.begin());
  while (samples_.size() > most_shapes || bytes_ > most_bytes) {
    bytes_ -= samples_.back().bytes();
    by_shape_.erase(samples_.back().shape_hash);
    samples_.pop_back();
  }
}

std::string command_samples::lines() const {
  std::string text;
  const std::lock_guard lock{mutex_};
  for (const sample& each : samples_) {
    json_writer json{text};
    json.object();
    json.text("ns", each.ns);
    json.text("command", routing::name_of(each.command));
    json.text("routing", label(each.routing));
    json.flag("finding", each.is_finding);
    json.text("shapeHash", routing::shape_hash_text(each.shape_hash));
    json.raw("shape", each.shape);
    if (each.trace) json.text("traceId", wire::trace_id_text(each.trace));
    if (!each.body.empty()) {
      std::string body = wire::relaxed_json_of(each.body);
      text::escape_invisible_in_json(body);
      if (body.starts_with('{')) json.raw("sample", body);
    }
    json.end();
    text += '\n';
  }
  return text;
}

}  // namespace scattergate::telemetry
