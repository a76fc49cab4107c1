#include "report/sources/query_stats.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "digest/shape_command.hpp"
#include "report/sources/source_times.hpp"
#include "wire/endian.hpp"

namespace scattergate::report {
namespace {

using wire::bson_type;
using wire::document_view;

document_view document_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field ? field->as_document().value_or(document_view{}) : document_view{};
}

std::string string_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field && field->is_string() ? std::string{field->as_string()} : std::string{};
}

std::int64_t number_in(document_view from, std::string_view name) {
  constexpr std::int64_t most = 1'000'000'000'000'000;  // sums don't overflow
  const auto field = wire::find_field(from, name);
  const auto number = field ? field->as_int64() : std::nullopt;
  return std::clamp<std::int64_t>(number.value_or(0), 0, most);
}

std::optional<digest::wall_time> time_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  if (!field || field->type() != bson_type::date) return std::nullopt;
  return representable_time(wire::load_little<std::int64_t>(field->value().data()));
}

std::chrono::nanoseconds micros_in(document_view from, std::string_view name) {
  return clamped_duration(std::chrono::microseconds{number_in(from, name)});
}

/// Whether a name is an HMAC-SHA-256 in base64, as transformIdentifiers writes it.
bool is_hashed(std::string_view name) {
  constexpr std::size_t hash_length = 44;
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return name.size() == hash_length && name.ends_with('=') &&
         name.find_first_not_of(digits) == hash_length - 1;
}

}  // namespace

void read_query_stats(document_view entry, observer& to) {
  const document_view key = document_in(entry, "key");
  const document_view shape = document_in(key, "queryShape");
  const document_view metrics = document_in(entry, "metrics");
  const std::int64_t count = number_in(metrics, "execCount");
  if (shape.is_empty() || count == 0) return to.on_skipped(skip_reason::unreadable);
  if (is_hashed(string_in(document_in(shape, "cmdNs"), "db"))) {
    return to.on_skipped(skip_reason::redacted);
  }
  auto command = digest::command_of_shape(shape);
  if (!command) return to.on_skipped(skip_reason::not_rebuilt);
  observation seen;
  seen.command = std::move(*command);
  seen.is_made_up = true;
  seen.count = static_cast<std::uint64_t>(count);
  const document_view times = document_in(metrics, "totalExecMicros");
  if (!times.is_empty()) {
    seen.duration = micros_in(times, "sum");
    seen.longest = micros_in(times, "max");
  }
  seen.first = time_in(metrics, "firstSeenTimestamp");
  seen.at = time_in(metrics, "latestSeenTimestamp");
  const document_view client = document_in(key, "client");
  seen.who.app_name = string_in(document_in(client, "application"), "name");
  seen.who.driver = string_in(document_in(client, "driver"), "name");
  seen.query_shape_hash = string_in(entry, "queryShapeHash");
  to.on_command(seen);
}

}  // namespace scattergate::report
