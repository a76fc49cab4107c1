// read_stored_history(): parses lines of JSON, which are untrusted.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "telemetry/history/history_end.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/history/step_ring.hpp"

namespace scattergate::telemetry {
namespace {

namespace json = boost::json;

/// Minutes since 1970 beyond the year 9999 are invalid.
constexpr std::uint64_t last_minute = 4'223'000'000;

std::optional<json::object> object_of(std::string_view line) {
  boost::system::error_code failed;
  json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return std::nullopt;
  return std::move(parsed.as_object());
}

std::optional<std::uint64_t> number_in(const json::value& value, std::uint64_t most) {
  boost::system::error_code failed;
  const bool is_whole = value.is_int64() || value.is_uint64();
  const auto number = value.to_number<std::uint64_t>(failed);
  if (!is_whole || failed || number > most) return std::nullopt;
  return number;
}

/// Reads what append_steps() writes; false if it is invalid. Unknown kinds are ignored.
template <std::size_t Size>
bool read_steps(const json::value* from, std::array<history::step, Size>& to,
                std::uint64_t newest) {
  if (from == nullptr || !from->is_object()) return false;
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    const json::value* const found = from->as_object().if_contains(name_of(kind));
    if (found == nullptr) continue;
    if (!found->is_array() || found->as_array().size() != Size) return false;
    for (std::size_t i = 0; i < Size; ++i) {
      const auto number =
          number_in(found->as_array()[i], std::numeric_limits<std::uint32_t>::max());
      if (!number) return false;
      to[(newest + 1 + i) % Size][kind] = static_cast<std::uint32_t>(*number);
    }
  }
  return true;
}

bool read_series(const json::object& from, history::series& to, std::uint64_t minute) {
  return read_steps(from.if_contains("minutes"), to.by_minute, minute) &&
         read_steps(from.if_contains("tenMinutes"), to.by_ten, minute / minutes_of_ten);
}

std::optional<std::string> text_in(const json::object& from, std::string_view name) {
  const json::value* const found = from.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string{found->as_string()};
}

/// Reads the line of a collection, or that of all other collections, which has no names.
bool read_line(std::string_view line, history& to) {
  const auto from = object_of(line);
  if (!from) return false;
  const auto steps = std::make_unique<history::series>();
  if (!read_series(*from, *steps, to.minute())) return false;
  auto database = text_in(*from, "database");
  auto name = text_in(*from, "collection");
  history::series* own = nullptr;
  if (database && name) own = to.restore(std::move(*database), std::move(*name));
  (own != nullptr ? *own : to.restore_others()).add(*steps);
  return true;
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool read_head(std::string_view line, history& to) {
  const auto head = object_of(line);
  if (!head) return false;
  const json::value* const version = head->if_contains("schemaVersion");
  const json::value* const minute = head->if_contains("minute");
  if (version == nullptr || number_in(*version, 1).value_or(0) != 1) return false;
  const auto number = minute != nullptr ? number_in(*minute, last_minute) : std::nullopt;
  if (number) to.restore_minute(*number);
  return number.has_value();
}

bool read_all(std::string_view lines, history& to) {
  if (!read_head(next_line(lines), to)) return false;
  while (!lines.empty()) {
    if (!read_line(next_line(lines), to)) return false;
  }
  to.restored();
  return true;
}

}  // namespace

text::result<void> read_stored_history(std::string_view text, history& to) {
  if (text.size() > history::max_bytes) {
    return text::failure("the history exceeds the maximum size");
  }
  const std::size_t end = text.rfind("\n{\"end\":");
  if (end == text.npos) return text::failure("the history is truncated: its end is missing");
  const std::string_view lines = text.substr(0, end + 1);
  history read;
  if (text.substr(lines.size()) != history_end(lines) || !read_all(lines, read)) {
    return text::failure("the history is corrupt");
  }
  to.add(read);
  return {};
}

}  // namespace scattergate::telemetry
