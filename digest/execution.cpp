#include "digest/execution.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "digest/row_fields.hpp"
#include "text/utf8.hpp"
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

/// The sum, or the largest number if the sum overflows.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
  return b > std::numeric_limits<std::uint64_t>::max() - a ? ~std::uint64_t{0} : a + b;
}

}  // namespace

std::string_view label(finding_action action) noexcept {
  return labels[action];
}

bool are_all_accepted(const action_counts& of) noexcept {
  const std::uint64_t accepted = of[static_cast<std::size_t>(finding_action::accepted)];
  return accepted != 0 && std::accumulate(of.begin(), of.end(), std::uint64_t{0}) == accepted;
}

void amounts::add(std::uint64_t value) noexcept {
  add(amounts{1, value, value});
}

void amounts::add(const amounts& other) noexcept {
  commands += other.commands;
  total = sum(total, other.total);
  most = std::max(most, other.most);
}

void text_counts::add(std::string_view text, std::uint64_t commands) {
  text = text::cut_utf8(text, most_text);
  const auto known = std::find_if(counted_.begin(), counted_.end(),
                                  [&](const counted& one) { return one.text == text; });
  if (known != counted_.end()) {
    known->commands += commands;
  } else if (counted_.size() < most) {
    counted_.push_back({std::string{text}, commands});
  } else {
    others_ += commands;
  }
}

void text_counts::add(const text_counts& other) {
  for (const counted& one : other.counted_) add(one.text, one.commands);
  others_ += other.others_;
}

std::vector<text_counts::counted> text_counts::ranked() const {
  std::vector<counted> sorted = counted_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const counted& a, const counted& b) { return a.commands > b.commands; });
  return sorted;
}

std::size_t text_counts::bytes() const noexcept {
  std::size_t bytes = 0;
  for (const counted& one : counted_) bytes += sizeof one + one.text.size();
  return bytes;
}

void execution::add(const execution& other) {
  each_member_of<execution>([&](const auto& field) {
    auto& mine = field.in(*this);
    const auto& theirs = field.in(other);
    if constexpr (std::is_same_v<decltype(mine), action_counts&>) {
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += theirs[i];
    } else {
      mine.add(theirs);
    }
  });
}

}  // namespace scattergate::digest
