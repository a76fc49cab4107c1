#include "telemetry/admin/api.hpp"

#include <chrono>

#include "config/text/scalars.hpp"
#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"
#include "telemetry/admin/advice_answer.hpp"
#include "telemetry/admin/api_parts.hpp"
#include "telemetry/admin/shapes_answer.hpp"
#include "telemetry/history/history_text.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::string_view json_type = "application/json";

constexpr std::string_view expected_time = "since: expected a time, 2026-11-22T03:00:00.000Z";

constexpr std::string_view root = "/api/v1/";
constexpr std::string_view shapes_path = "/api/v1/shapes";
constexpr std::string_view stored_shapes = "/api/v1/shapes?format=stored";

admin_reply json_reply(std::string body) {
  return {.content_type = json_type, .body = std::move(body)};
}

}  // namespace

api::api(api_sources from)
    : from_(std::move(from)), started_at_(std::chrono::system_clock::now()) {}

std::string_view api::cache_key(std::string_view target) noexcept {
  const std::string_view path = path_of(target);
  if (path == advice_api_path) return target;
  if (!path.starts_with(shapes_path)) return path;
  if (path == shapes_path && query_parameter(target, "format") == "stored")
    return stored_shapes;
  return query_parameter(target, "since").empty() ? path : target;
}

std::optional<admin_reply> api::answer(std::string_view target) const {
  const std::string_view path = path_of(target);
  if (!path.starts_with(root)) return std::nullopt;
  if (path == shapes_path) return shapes(target);
  if (path.starts_with(shapes_path) && path[shapes_path.size()] == '/') {
    return shape(path.substr(shapes_path.size() + 1), target);
  }
  const std::string_view what = path.substr(root.size());
  if (what == "status") return json_reply(status());
  if (what == "collections") return json_reply(collections());
  if (what == "catalog") return json_reply(catalog());
  if (what == "history") return json_reply(history());
  return std::nullopt;
}

std::optional<digest::wall_time> api::moment_of(std::string_view target) const {
  const std::string_view since = query_parameter(target, "since");
  return since.empty() ? std::optional{started_at_} : parse_time(since);
}

admin_reply api::shapes(std::string_view target) const {
  admin_reply reply;
  if (cache_key(target) == stored_shapes) {
    reply.content_type = "application/x-ndjson; charset=utf-8";
    const std::string sketches = stored_sketches();
    from_.digest.read_view([&](const live_digest::view& all) {
      const auto actions_of = [&](const digest::row& row) {
        const shape_marks* const marks = all.marks_of(row);
        return marks == nullptr ? nullptr : &marks->actions;
      };
      reply.body =
          digest::stored_text(all.shapes, from_.max_shapes_bytes - sketches.size(), actions_of);
    });
    reply.body += sketches;
    return reply;
  }
  const auto moment = moment_of(target);
  if (!moment) return refusal(bad_request, expected_time);
  from_.digest.read_view([&](const live_digest::view& all) {
    reply = json_reply(shapes_json(all, *moment, from_.max_shapes_bytes));
  });
  return reply;
}

/// The sketches in their stored form; empty if there are none, or if they are larger than half
/// of a reply's size limit.
std::string api::stored_sketches() const {
  std::string text;
  if (from_.sketches == nullptr) return text;
  from_.sketches->read(
      [&](const digest::sketch_set& all) { text = digest::stored_sketches(all); });
  return text.size() <= from_.max_shapes_bytes / 2 ? text : std::string{};
}

admin_reply api::shape(std::string_view hash, std::string_view target) const {
  const auto requested = config::parse_hash(hash);
  if (!requested) return refusal(bad_request, "a shape's hash is 16 hex digits");
  const auto moment = moment_of(target);
  if (!moment) return refusal(bad_request, expected_time);
  std::string found;
  from_.digest.read_view(
      [&](const live_digest::view& all) { found = shape_json(all, *requested, *moment); });
  if (found.empty()) return refusal(not_found, "no shape with this hash has been seen");
  return json_reply(std::move(found));
}

std::string api::history() const {
  std::string text;
  from_.digest.read_view([&](const live_digest::view& all) {
    text = history_json(all.past, all.shapes_past, all.now);
  });
  return text;
}

}  // namespace scattergate::telemetry
