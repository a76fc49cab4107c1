#include "telemetry/audit/audit_line.hpp"

#include <cstdint>
#include <span>

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid.hpp>

#include "digest/json.hpp"
#include "net/endpoint.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/counters/namespace_registry.hpp"
#include "text/json_writer.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {
namespace {

using text::json_writer;

constexpr std::uint64_t result_ok = 0;
constexpr std::uint64_t result_rejected = 411;  // QueryRejectedBySettings, as the client got

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

void append_uuid(json_writer& to) {
  static thread_local boost::uuids::random_generator generate;
  const boost::uuids::uuid id = generate();
  to.object("uuid");
  to.object("$binary");
  to.text("base64", base64({id.begin(), id.end()}));
  to.text("subType", "04");
  to.end();
  to.end();
}

/// The fields that identify the finding. A shared place has labels where a row has its key; the
/// description is a row's.
void append_identity(json_writer& to, const shape_details& details,
                     const std::optional<std::vector<std::string>>& fanout) {
  to.text_or_null("command", details.is_shared() ? label(details.scope)
                                                 : routing::name_of(details.command));
  to.text_or_null("ns", wire::namespace_view{details.database, details.collection}.full_name());
  digest::append_members(to, details.what);
  if (details.refused != routing::refusal::none) {
    to.text("refused", routing::label(details.refused));
  }
  to.text_or_null("shapeHash", details.is_shared()
                                   ? std::string{label(details.scope)}
                                   : routing::shape_hash_text(details.shape_hash));
  to.text_or_null("queryShapeHash", details.query_shape_hash);
  fanout ? to.texts("fanout", *fanout) : to.null("fanout");
  to.text_or_null("rule", details.rule);
  to.text_or_null("action", details.is_shared() ? std::string_view{} : label(*details.action));
  to.text_or_null("why", details.rule_why);
}

/// Appends the first callers. The others count together.
void append_first_callers(json_writer& to, const digest::callers& who) {
  constexpr std::size_t most = 16;
  auto first = who.all();
  std::uint64_t others = who.others();
  for (; first.size() > most; first.pop_back()) others += first.back().count;
  digest::append_callers(to, first, others);
}

void append_param(json_writer& to, const shape_delta& delta) {
  const shape_details& details = *delta.details;
  to.object("param");
  append_identity(to, details, fanout_of(delta));
  to.number("count", delta.count);
  to.object("durationMillis");
  digest::append_millis(to, "max", delta.longest);
  digest::append_millis(to, "total", delta.total);
  to.end();
  append_first_callers(to, delta.who);
  to.end();
}

}  // namespace

std::string local_json(std::string_view address) {
  const auto endpoint = net::parse_endpoint(address);
  if (!endpoint) return "{}";
  std::string json;
  json_writer to{json};
  to.object();
  if (endpoint->is_unix()) {
    to.text("unix", endpoint->path);
  } else {
    to.text("ip", endpoint->host);
    to.number("port", endpoint->port);
  }
  to.end();
  return json;
}

std::string audit_line(const shape_delta& delta, std::string_view local,
                       std::chrono::system_clock::time_point time) {
  const shape_details& details = *delta.details;
  const bool rejected = !details.is_shared() && details.action == finding_action::rejected;
  std::string line;
  json_writer to{line};
  to.object();
  to.number("schemaVersion", 1);
  to.text("atype", "scattergate.finding");
  to.object("ts");
  to.time("$date", time);
  to.end();
  append_uuid(to);
  to.raw("local", local);
  append_param(to, delta);
  to.number("result", rejected ? result_rejected : result_ok);
  to.end();
  return line + '\n';
}

}  // namespace scattergate::telemetry
