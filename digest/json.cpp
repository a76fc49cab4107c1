#include "digest/json.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "digest/words.hpp"
#include "routing/shape/shape.hpp"
#include "routing/text/json_text.hpp"
#include "routing/text/time_text.hpp"

namespace scattergate::digest {
namespace {

using routing::append_json_string;

/// Writes the members of one object, commas between them.
class object_writer {
 public:
  explicit object_writer(std::string& to) : to_(to) { to_ += '{'; }
  void end() { to_ += '}'; }

  void text(std::string_view name, std::string_view value) {
    head(name);
    append_json_string(to_, value);
  }
  void text_or_null(std::string_view name, std::string_view value) {
    value.empty() ? raw(name, "null") : text(name, value);
  }
  void raw(std::string_view name, std::string_view json) {
    head(name);
    to_ += json;
  }
  void raw_or_null(std::string_view name, std::string_view json) {
    raw(name, json.empty() ? std::string_view{"null"} : json);
  }
  void number(std::string_view name, std::uint64_t value) { raw(name, std::to_string(value)); }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    head(name);
    to_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) to_ += ',';
      append_json_string(to_, values[i]);
    }
    to_ += ']';
  }
  void head(std::string_view name) {
    if (!is_first_) to_ += ',';
    is_first_ = false;
    append_json_string(to_, name);
    to_ += ':';
  }

 private:
  std::string& to_;
  bool is_first_ = true;
};

std::string millis(std::chrono::nanoseconds duration) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f",
                                   std::chrono::duration<double, std::milli>{duration}.count());
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string time_json(const std::optional<wall_time>& time) {
  return time ? '"' + routing::time_text(*time) + '"' : "null";
}

void append_fanout(object_writer& to, const row& of) {
  if (of.shards.commands == 0) return to.raw("fanout", "null");
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), R"({"max":%u,"mean":%.3f})", of.shards.most,
                static_cast<double>(of.shards.asked) / static_cast<double>(of.shards.commands));
  to.raw("fanout", text.data());
}

void append_times(object_writer& to, const row& of) {
  if (of.times.count() == 0) return to.raw("durationMillis", "null");
  std::string json = R"({"total":)" + millis(of.total) + R"(,"max":)" + millis(of.longest);
  json += R"(,"p50":)" + millis(of.times.quantile(0.50));
  json += R"(,"p95":)" + millis(of.times.quantile(0.95));
  json += R"(,"p99":)" + millis(of.times.quantile(0.99)) + "}";
  to.raw("durationMillis", json);
}

void append_optional(object_writer& to, std::string_view name, const std::string& text) {
  if (!text.empty()) to.text(name, text);
}

void append_callers(object_writer& to, std::string& json, const callers& who) {
  to.head("callers");
  json += '[';
  bool is_first = true;
  for (const caller& one : who.ranked()) {
    if (!is_first) json += ',';
    is_first = false;
    object_writer caller_to{json};
    append_optional(caller_to, "appName", one.app_name);
    append_optional(caller_to, "driver", one.driver);
    append_optional(caller_to, "user", one.user);
    append_optional(caller_to, "remote", one.remote);
    append_optional(caller_to, "comment", one.comment);
    caller_to.number("count", one.count);
    caller_to.end();
  }
  if (who.others() != 0) {
    json += is_first ? "" : ",";
    json += R"({"other":true,"count":)" + std::to_string(who.others()) + "}";
  }
  json += ']';
}

}  // namespace

void append_json(std::string& to, const row& of) {
  object_writer json{to};
  json.text("ns", of.name_space());
  json.text("command", of.command);
  json.raw_or_null("shape", of.what.shape_json);
  json.text("shapeHash", routing::shape_hash_text(of.shape_hash));
  json.text_or_null("queryShapeHash", of.query_shape_hash);
  json.text("routing", label(of.what.routing));
  json.text_or_null("bounds", label(of.what.bounds));
  json.text_or_null("reason", label(of.what.why));
  json.texts("missing", of.what.missing);
  json.raw_or_null("shardKey", of.what.shard_key_json);
  json.text_or_null("suggestion", of.what.suggestion);
  json.number("count", of.count);
  if (of.error_bound != 0) json.number("countErrorBound", of.error_bound);
  json.number("errors", of.errors);
  append_fanout(json, of);
  of.shards.commands == 0 ? json.raw("wastedShardRequests", "null")
                          : json.number("wastedShardRequests", of.shards.wasted);
  append_times(json, of);
  json.raw("firstSeen", time_json(of.first_seen));
  json.raw("lastSeen", time_json(of.last_seen));
  append_callers(json, to, of.who);
  json.raw("baseline", "null");
  json.text_or_null("explain", explain_text(of));
  json.text("acceptRule", accept_rule(of));
  json.end();
}

}  // namespace scattergate::digest
