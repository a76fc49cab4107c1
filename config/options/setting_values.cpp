#include "config/options/setting_values.hpp"

#include <filesystem>

namespace scattergate::config {
namespace {

constexpr std::string_view duration_examples = ", such as 250ms, 30s, 5m or 1h";

bool is_between(std::chrono::milliseconds duration, std::chrono::milliseconds least,
                std::chrono::milliseconds most) {
  return duration >= least && duration <= most;
}

std::string duration_wanted(std::chrono::milliseconds least, std::chrono::milliseconds most) {
  return "a duration from " + show_duration(least) + " to " + show_duration(most) +
         " is wanted" + std::string{duration_examples};
}

}  // namespace

std::string number_wanted(std::uint64_t least, std::uint64_t most) {
  return "a number from " + std::to_string(least) + " to " + std::to_string(most) +
         " is wanted";
}

std::string set_switch(bool& to, std::string_view text) {
  const auto on = parse_switch(text);
  if (!on) return "on or off is wanted";
  to = *on;
  return {};
}

std::string set_duration(std::chrono::milliseconds& to, std::string_view text,
                         std::chrono::milliseconds least, std::chrono::milliseconds most) {
  const auto duration = parse_duration(text);
  if (!duration || !is_between(*duration, least, most)) return duration_wanted(least, most);
  to = *duration;
  return {};
}

std::string set_duration_or_zero(std::chrono::milliseconds& to, std::string_view text) {
  constexpr std::chrono::milliseconds least{100};
  constexpr std::chrono::milliseconds most = std::chrono::hours{24};
  const auto duration = parse_duration(text);
  const bool is_zero = duration && duration->count() == 0;
  if (!duration || !(is_zero || is_between(*duration, least, most))) {
    return duration_wanted(least, most) + ", or 0s";
  }
  to = *duration;
  return {};
}

std::string set_size(std::uint64_t& to, std::string_view text, std::uint64_t least,
                     std::uint64_t most, std::string_view bounds) {
  const auto size = parse_size(text);
  if (!size || *size < least || *size > most) {
    return "a size from " + std::string{bounds} + " is wanted, such as 16MiB";
  }
  to = *size;
  return {};
}

std::string set_file(std::string& to, std::string_view text) {
  if (text.empty()) return "a file's name is wanted";
  if (text.find('\0') != text.npos) return "a file's name has no NUL in it";
  to = text;
  return {};
}

std::string set_input_file(std::string& to, std::string_view text) {
  std::string name;
  if (std::string wrong = set_file(name, text); !wrong.empty()) return wrong;
  to = std::filesystem::absolute(name).lexically_normal().string();
  return {};
}

}  // namespace scattergate::config
