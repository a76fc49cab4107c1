#include "telemetry/audit/audit_line.hpp"

#include <array>
#include <cstdio>
#include <span>

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid.hpp>

#include "net/endpoint.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "routing/text/json_text.hpp"
#include "telemetry/counters/namespace_map.hpp"
#include "telemetry/log/json_date.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {
namespace {

using routing::append_json_string;

constexpr int result_ok = 0;
constexpr int result_rejected = 20;  // IllegalOperation, as the client was told

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const std::uint32_t group =
        static_cast<std::uint32_t>(bytes[at]) << 16U |
        (left > 1 ? static_cast<std::uint32_t>(bytes[at + 1]) << 8U : 0U) |
        (left > 2 ? static_cast<std::uint32_t>(bytes[at + 2]) : 0U);
    out += alphabet[group >> 18U];
    out += alphabet[(group >> 12U) & 63U];
    out += left > 1 ? alphabet[(group >> 6U) & 63U] : '=';
    out += left > 2 ? alphabet[group & 63U] : '=';
  }
  return out;
}

void append_uuid(std::string& to) {
  static thread_local boost::uuids::random_generator generate;
  const boost::uuids::uuid id = generate();
  to += R"({"$binary":{"base64":")";
  to += base64(id.data);
  to += R"(","subType":"04"}})";
}

void append_name(std::string& to, std::string_view name) {
  to += '"';
  to += name;
  to += "\":";
}

/// A field whose empty text stands for "none".
void append_text_or_null(std::string& to, std::string_view name, std::string_view text) {
  append_name(to, name);
  if (text.empty()) {
    to += "null";
  } else {
    append_json_string(to, text);
  }
  to += ',';
}

/// A field whose value is JSON already.
void append_raw_or_null(std::string& to, std::string_view name, std::string_view json) {
  append_name(to, name);
  to += json.empty() ? std::string_view{"null"} : json;
  to += ',';
}

void append_strings(std::string& to, std::string_view name,
                    const std::vector<std::string>& values) {
  append_name(to, name);
  to += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) to += ',';
    append_json_string(to, values[i]);
  }
  to += "],";
}

std::string milliseconds(std::chrono::nanoseconds duration) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f",
                                   std::chrono::duration<double, std::milli>{duration}.count());
  return {text.data(), static_cast<std::size_t>(length)};
}

void append_optional(std::string& to, std::string_view name, const std::string& text) {
  if (!text.empty()) append_text_or_null(to, name, text);
}

void append_callers(std::string& to, const finding_delta& delta) {
  append_name(to, "callers");
  to += '[';
  for (const caller_count& caller : delta.callers) {
    to += '{';
    append_optional(to, "appName", caller.app_name);
    append_optional(to, "driver", caller.driver);
    append_optional(to, "user", caller.user);
    append_optional(to, "remote", caller.remote);
    append_optional(to, "comment", caller.comment);
    append_name(to, "count");
    to += std::to_string(caller.count);
    to += "},";
  }
  if (delta.other_callers != 0) {
    to += R"({"other":true,"count":)" + std::to_string(delta.other_callers) + "},";
  }
  if (to.back() == ',') to.pop_back();
  to += "],";
}

std::string name_space(const finding_details& details) {
  return wire::namespace_view{details.database, details.collection}.full_name();
}

/// The fields that say which finding it is.
void append_identity(std::string& to, const finding_details& details,
                     const std::optional<std::vector<std::string>>& fanout) {
  append_text_or_null(
      to, "command",
      details.is_shared() ? label(details.scope) : routing::name_of(details.command));
  append_text_or_null(to, "ns", name_space(details));
  append_text_or_null(to, "routing", label(details.routing));
  append_text_or_null(to, "bounds", label(details.bounds));
  append_text_or_null(to, "reason", label(details.why));
  append_raw_or_null(to, "shardKey", details.shard_key_json);
  append_strings(to, "missing", details.missing);
  append_raw_or_null(to, "shape", details.shape_json);
  append_text_or_null(to, "shapeHash",
                      details.is_shared() ? std::string{label(details.scope)}
                                          : routing::shape_hash_text(details.shape_hash));
  if (fanout) {
    append_strings(to, "fanout", *fanout);
  } else {
    append_raw_or_null(to, "fanout", {});
  }
  append_text_or_null(to, "rule", details.rule);
  append_text_or_null(to, "action",
                      details.is_shared() ? std::string_view{} : label(details.action));
  append_text_or_null(to, "why", details.rule_why);
}

}  // namespace

std::string local_json(std::string_view address) {
  const auto endpoint = net::parse_endpoint(address);
  if (!endpoint) return "{}";
  std::string json;
  json += '{';
  if (endpoint->is_unix()) {
    append_name(json, "unix");
    append_json_string(json, endpoint->path);
  } else {
    append_name(json, "ip");
    append_json_string(json, endpoint->host);
    json += R"(,"port":)" + std::to_string(endpoint->port);
  }
  json += '}';
  return json;
}

std::string audit_line(const finding_delta& delta, std::string_view local,
                       std::chrono::system_clock::time_point time) {
  const finding_details& details = *delta.details;
  const bool rejected = !details.is_shared() && details.action == finding_action::rejected;
  std::string line = R"({"schemaVersion":1,"atype":"scattergate.finding","ts":)";
  append_json_date(line, time);
  line += R"(,"uuid":)";
  append_uuid(line);
  line += R"(,"local":)";
  line += local;
  line += R"(,"param":{)";
  append_identity(line, details, fanout_of(delta));
  line += R"("count":)" + std::to_string(delta.count);
  line += R"(,"durationMillis":{"max":)" + milliseconds(delta.longest);
  line += R"(,"total":)" + milliseconds(delta.total) + "},";
  append_callers(line, delta);
  append_text_or_null(line, "suggestion", details.suggestion);
  if (!details.lints.empty()) append_strings(line, "lints", details.lints);
  line.back() = '}';  // of param, in place of the last comma
  line += R"(,"result":)" + std::to_string(rejected ? result_rejected : result_ok) + "}\n";
  return line;
}

}  // namespace scattergate::telemetry
