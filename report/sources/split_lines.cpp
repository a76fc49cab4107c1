#include "report/sources/split_lines.hpp"

#include <algorithm>

#include "report/sources/input.hpp"

namespace scattergate::report {
namespace {

/// Limit for a kept stream name.
constexpr std::size_t most_name_bytes = 256;

}  // namespace

/// A line beyond the limit is dropped; its end is still to come.
void split_lines::append(waiting& to, std::string_view part) {
  if (to.is_too_long) return;
  if (bytes_ + part.size() > input_lines::max_line_bytes) {
    to.is_too_long = true;
    bytes_ -= to.text.size();
    to.text = {};
    return;
  }
  to.text += part;
  bytes_ += part.size();
}

std::optional<std::string_view> split_lines::take(std::string_view stream,
                                                  std::string_view part, bool is_last,
                                                  observer& to) {
  stream = stream.substr(0, most_name_bytes);
  const auto known = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const waiting& one) { return one.stream == stream; });
  if (known == waiting_.end()) {
    if (is_last) return part;
    if (waiting_.size() == most_streams) {
      bytes_ -= waiting_.front().text.size();
      waiting_.erase(waiting_.begin());
      to.on_skipped(skip_reason::truncated);
    }
    append(waiting_.emplace_back(waiting{std::string{stream}, {}, false}), part);
    return std::nullopt;
  }
  append(*known, part);
  if (!is_last) return std::nullopt;
  whole_ = std::move(known->text);
  bytes_ -= whole_.size();
  const bool is_too_long = known->is_too_long;
  waiting_.erase(known);
  if (is_too_long) {
    to.on_skipped(skip_reason::too_long);
    return std::nullopt;
  }
  const std::size_t size = whole_.size();
  whole_.append(input_lines::padding, ' ');
  return std::string_view{whole_}.substr(0, size);
}

void split_lines::finish(observer& to) {
  for (const waiting& one : waiting_) {
    to.on_skipped(one.is_too_long ? skip_reason::too_long : skip_reason::truncated);
  }
  waiting_.clear();
  bytes_ = 0;
}

}  // namespace scattergate::report
