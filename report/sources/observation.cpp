#include "report/sources/observation.hpp"

#include <array>

namespace scattergate::report {
namespace {

constexpr std::array<std::string_view, wire::enum_count<source_kind>()> kinds = {
    "unknown",  "audit", "mongos-log", "mongod-log", "profile", "query-stats",
    "commands", "pcap",  "recording",  "state",      "report"};
constexpr std::array<std::string_view, skip_reason_count> reasons = {
    "not_a_command", "unreadable", "too_long",     "truncated", "redacted",
    "sensitive",     "internal",   "lost",         "tls",       "told_by_statement",
    "not_rebuilt",   "not_chosen", "without_time", "not_judged"};

}  // namespace

std::string_view label(source_kind kind) noexcept {
  return kinds[static_cast<std::size_t>(kind)];
}

std::optional<source_kind> kind_named(std::string_view name) noexcept {
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    if (kinds[i] == name) return static_cast<source_kind>(i);
  }
  return std::nullopt;
}

std::string_view label(skip_reason why) noexcept {
  return reasons[static_cast<std::size_t>(why)];
}

}  // namespace scattergate::report
