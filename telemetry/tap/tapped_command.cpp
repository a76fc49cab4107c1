#include "telemetry/tap/tapped_command.hpp"

#include "digest/json.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/counters/error_code.hpp"
#include "text/json_writer.hpp"
#include "wire/label_table.hpp"
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

}  // namespace scattergate::telemetry
