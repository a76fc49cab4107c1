#include "routing/bounds/range_expansion.hpp"

#include <algorithm>

namespace scattergate::routing {
namespace {

const interval& first_of(const interval_set& set) noexcept {
  return set.intervals().front();
}
const interval& last_of(const interval_set& set) noexcept {
  return set.intervals().back();
}

/// One end of a range of whole keys. For each range, only the part from the varying field on is
/// rewritten.
class key_end {
 public:
  explicit key_end(std::span<std::byte> room) noexcept : room_(room) {}

  void append(bytes_view value) noexcept {
    std::ranges::copy(value, room_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += value.size();
  }
  /// Removes everything after the first `size` bytes.
  void cut(std::size_t size) noexcept { size_ = size; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bytes_view view() const noexcept { return room_.first(size_); }

 private:
  std::span<std::byte> room_;
  std::size_t size_ = 0;
};

/// The maximum size of an end of a range, in bytes.
std::size_t longest_end(std::span<const interval_set> fields) noexcept {
  std::size_t bytes = 0;
  for (const interval_set& set : fields) {
    std::size_t longest = 0;
    for (const interval& one : set.intervals()) {
      longest = std::max({longest, one.low.size(), one.high.size()});
    }
    bytes += longest;
  }
  return bytes;
}

/// Same as add_owners_of(), for a key of one field, whose intervals are the ranges.
void add_intervals(const interval_set& set, const chunk_map& chunks, bool with_end,
                   shard_set& to) noexcept {
  for (const interval& one : set.intervals()) {
    if (!with_end && is_end_of_all(one.low, 1)) continue;
    chunks.add_owners(one.low, one.high, to);
    if (to.size() == chunks.owner_count()) return;
  }
}

}  // namespace

bytes_view point_of(std::span<const interval_set> fields, scratch& memory) noexcept {
  if (fields.size() == 1) return first_of(fields[0]).low;
  const auto room = memory.allocate<std::byte>(longest_end(fields));
  if (room.empty()) return {};
  key_end key{room};
  for (const interval_set& set : fields) key.append(first_of(set).low);
  return key.view();
}

bool is_end_of_all(bytes_view key, std::size_t fields) noexcept {
  return key.size() == fields && std::ranges::all_of(key, [](std::byte each) {
           return each == encoded_max_key().front();
         });
}

// Example: the key {a: 1, b: 1, c: 1} with the bounds a [5, 5], b [1, 2], [7, 7] and
// c [0, 0], [9, 9]. The first field that isn't one point is b: `varying`. Each of its intervals
// gives one range. c contributes only its first low end and its last high end, so a range may
// cover more than the bounds:
//
//   from {5, 1, 0} to {5, 2, 9}
//   from {5, 7, 0} to {5, 7, 9}
bool add_owners_of(std::span<const interval_set> fields, const chunk_map& chunks, bool with_end,
                   shard_set& to, scratch& memory) noexcept {
  if (fields.size() == 1) {
    add_intervals(fields[0], chunks, with_end, to);
    return true;
  }
  const auto varying = std::ranges::find_if_not(fields, &interval_set::is_one_point);
  const auto at = static_cast<std::size_t>(varying - fields.begin());
  const std::size_t bytes = longest_end(fields);
  const auto low_room = memory.allocate<std::byte>(bytes);
  const auto high_room = memory.allocate<std::byte>(bytes);
  if (low_room.empty() || high_room.empty()) return false;

  key_end low{low_room};
  key_end high{high_room};
  for (const interval_set& set : fields.first(at)) {
    low.append(first_of(set).low);
    high.append(first_of(set).high);
  }
  if (at == fields.size()) {
    chunks.add_owners(low.view(), high.view(), to);
    return true;
  }
  const std::size_t prefix = low.size();
  for (const interval& one : fields[at].intervals()) {
    low.cut(prefix);
    high.cut(prefix);
    low.append(one.low);
    high.append(one.high);
    for (const interval_set& set : fields.subspan(at + 1)) {
      low.append(first_of(set).low);
      high.append(last_of(set).high);
    }
    if (!with_end && is_end_of_all(low.view(), fields.size())) continue;
    chunks.add_owners(low.view(), high.view(), to);
    if (to.size() == chunks.owner_count()) break;
  }
  return true;
}

}  // namespace scattergate::routing
