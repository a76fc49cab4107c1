#include "config/options/rule.hpp"

#include <algorithm>

#include "config/text/scalars.hpp"
#include "wire/label_table.hpp"

namespace scattergate::config {
namespace {

constexpr wire::label_table<rule_action> action_labels{{
    {rule_action::observe, "observe"},
    {rule_action::accept, "accept"},
    {rule_action::throttle, "throttle"},
    {rule_action::reject, "reject"},
}};

}  // namespace

std::optional<fanout_range> parse_fanout(std::string_view text) noexcept {
  const std::size_t sign_end = std::min(text.find_first_not_of("<>="), text.size());
  const std::string_view sign = text.substr(0, sign_end);
  std::string_view digits = text.substr(sign_end);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  const auto number = parse_count(digits);
  if (!number || *number >= fanout_range::any) return std::nullopt;
  const auto shards = static_cast<std::uint32_t>(*number);
  if (sign == ">=") return fanout_range{shards, fanout_range::any};
  if (sign == ">") return fanout_range{shards + 1, fanout_range::any};
  if (sign == "<=") return fanout_range{0, shards};
  if (sign == "<" && shards != 0) return fanout_range{0, shards - 1};
  if (sign.empty() || sign == "=" || sign == "==") return fanout_range{shards, shards};
  return std::nullopt;
}

std::string show_fanout(const fanout_range& range) {
  if (range.least == range.most) return std::to_string(range.least);
  if (range.most == fanout_range::any) return ">=" + std::to_string(range.least);
  return "<=" + std::to_string(range.most);
}

std::optional<std::string> parse_query_shape(std::string_view text) {
  constexpr std::size_t digits = 64;
  std::string hash{text};
  for (char& c : hash) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
    if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'))) return std::nullopt;
  }
  if (hash.size() != digits) return std::nullopt;
  return hash;
}

bool parse_rate(std::string_view text, throttle_limits& to) noexcept {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return false;
  const auto number = parse_count(text.substr(0, slash));
  const std::string_view per = text.substr(slash + 1);
  if (!number || *number == 0 || *number > throttle_limits::most) return false;
  if (per == "s")
    to.per = std::chrono::seconds{1};
  else if (per == "m")
    to.per = std::chrono::minutes{1};
  else if (per == "h")
    to.per = std::chrono::hours{1};
  else
    return false;
  to.rate = static_cast<std::uint32_t>(*number);
  return true;
}

std::string show_rate(const throttle_limits& limits) {
  const char* const per = limits.per == std::chrono::seconds{1}   ? "/s"
                          : limits.per == std::chrono::minutes{1} ? "/m"
                                                                  : "/h";
  return std::to_string(limits.rate) + per;
}

std::string_view label(rule_action action) noexcept {
  return action_labels[action];
}

std::optional<rule_action> action_labelled(std::string_view label) noexcept {
  return action_labels.find(label);
}

}  // namespace scattergate::config
