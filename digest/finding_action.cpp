#include "digest/finding_action.hpp"

#include <numeric>

#include "wire/label_table.hpp"

namespace scattergate::digest {
namespace {

constexpr wire::label_table<finding_action> labels{{
    {finding_action::observed, "observed"},
    {finding_action::accepted, "accepted"},
    {finding_action::rejected, "rejected"},
    {finding_action::throttled, "throttled"},
    {finding_action::would_reject, "would_reject"},
    {finding_action::would_throttle, "would_throttle"},
    {finding_action::expired, "expired"},
}};

}  // namespace

std::string_view label(finding_action action) noexcept {
  return labels[action];
}

bool are_all_accepted(const action_counts& of) noexcept {
  const std::uint64_t accepted = of[static_cast<std::size_t>(finding_action::accepted)];
  return accepted != 0 && std::accumulate(of.begin(), of.end(), std::uint64_t{0}) == accepted;
}

}  // namespace scattergate::digest
