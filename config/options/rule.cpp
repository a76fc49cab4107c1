#include "config/options/rule.hpp"

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
