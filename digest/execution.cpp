#include "digest/execution.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "digest/cut_text.hpp"
#include "digest/row_fields.hpp"

namespace scattergate::digest {
namespace {

/// The sum, or the largest number if the sum overflows.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
  return b > std::numeric_limits<std::uint64_t>::max() - a ? ~std::uint64_t{0} : a + b;
}

}  // namespace

void amounts::add(std::uint64_t value) noexcept {
  add(amounts{1, value, value});
}

void amounts::add(const amounts& other) noexcept {
  commands += other.commands;
  total = sum(total, other.total);
  most = std::max(most, other.most);
}

void text_counts::add(std::string_view text, std::uint64_t commands) {
  text = cut_text(text, most_text);
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
