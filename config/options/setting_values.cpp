#include "config/options/setting_values.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace scattergate::config {
namespace {

constexpr std::string_view duration_examples = ", such as 250ms, 30s, 5m or 1h";

bool is_between(std::chrono::milliseconds duration, std::chrono::milliseconds least,
                std::chrono::milliseconds most) {
  return duration >= least && duration <= most;
}

std::string expected_duration(std::chrono::milliseconds least, std::chrono::milliseconds most) {
  return "expected a duration from " + show_duration(least) + " to " + show_duration(most) +
         std::string{duration_examples};
}

/// Whether each brace of a link template belongs to a placeholder.
bool has_known_placeholders(std::string_view text) {
  constexpr std::array<std::string_view, 6> known = {"{db}",    "{collection}", "{command}",
                                                     "{shape}", "{from}",       "{to}"};
  for (std::size_t at = text.find_first_of("{}"); at != text.npos;
       at = text.find_first_of("{}")) {
    text.remove_prefix(at);
    const auto found = std::ranges::find_if(
        known, [text](std::string_view each) { return text.starts_with(each); });
    if (found == known.end()) return false;
    text.remove_prefix(found->size());
  }
  return true;
}

}  // namespace

std::string expected_number(std::uint64_t least, std::uint64_t most) {
  return "expected a number from " + std::to_string(least) + " to " + std::to_string(most);
}

text::result<void> set_switch(bool& to, std::string_view text) {
  const auto on = parse_switch(text);
  if (!on) return text::failure("expected on or off");
  to = *on;
  return {};
}

text::result<void> set_duration(std::chrono::milliseconds& to, std::string_view text,
                                std::chrono::milliseconds least,
                                std::chrono::milliseconds most) {
  const auto duration = parse_duration(text);
  if (!duration || !is_between(*duration, least, most))
    return text::failure(expected_duration(least, most));
  to = *duration;
  return {};
}

text::result<void> set_duration_or_zero(std::chrono::milliseconds& to, std::string_view text) {
  constexpr std::chrono::milliseconds least{100};
  constexpr std::chrono::milliseconds most = std::chrono::hours{24};
  const auto duration = parse_duration(text);
  const bool is_zero = duration && duration->count() == 0;
  if (!duration || !(is_zero || is_between(*duration, least, most))) {
    return text::failure(expected_duration(least, most) + ", or 0s");
  }
  to = *duration;
  return {};
}

text::result<void> set_size(std::uint64_t& to, std::string_view text, std::uint64_t least,
                            std::uint64_t most, std::string_view bounds) {
  const auto size = parse_size(text);
  if (!size || *size < least || *size > most) {
    return text::failure("expected a size from " + std::string{bounds} + ", such as 16MiB");
  }
  to = *size;
  return {};
}

text::result<void> set_file(std::string& to, std::string_view text) {
  if (text.empty()) return text::failure("expected a file's name");
  if (text.find('\0') != text.npos)
    return text::failure("a file name must not contain a NUL byte");
  to = text;
  return {};
}

text::result<void> set_link_template(std::string& to, std::string_view text) {
  constexpr std::size_t most = 1000;
  const bool is_web = text.starts_with("http://") || text.starts_with("https://");
  const bool is_visible =
      std::ranges::all_of(text, [](char each) { return each > ' ' && each < '\x7F'; });
  if (!text.empty() && (!is_web || !is_visible || text.size() > most)) {
    return text::failure(
        "expected an address that begins with http:// or https:// and has at most 1000 bytes, "
        "without spaces");
  }
  if (!has_known_placeholders(text)) {
    return text::failure(
        "the placeholders are {db}, {collection}, {command}, {shape}, {from} and {to}");
  }
  to = text;
  return {};
}

text::result<void> set_input_file(std::string& to, std::string_view text) {
  std::string name;
  if (auto set = set_file(name, text); !set) return set;
  to = std::filesystem::absolute(name).lexically_normal().string();
  return {};
}

}  // namespace scattergate::config
