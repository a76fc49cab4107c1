#include "telemetry/shapes/live_digest.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "telemetry/shapes/row_bytes.hpp"
#include "telemetry/shapes/shape_kind.hpp"

namespace scattergate::telemetry {
namespace {

/// How often counts are added to the history.
constexpr std::chrono::seconds sample_interval{10};

auto minute_of(digest::wall_time at) noexcept {
  return std::chrono::floor<std::chrono::minutes>(at);
}

}  // namespace

live_digest::live_digest(std::size_t max_rows, memory_budget& memory,
                         std::chrono::nanoseconds resolved_after)
    : memory_(memory),
      resolved_after_(resolved_after),
      table_(max_rows, [this](const digest::row& gone) {
        if (evicted_.size() < evicted_.capacity()) evicted_.push_back(gone.shape_hash);
        marks_.erase(&gone);
        shapes_past_.forget(gone);
        release(bytes_of(gone));
      }) {}

live_digest::~live_digest() {
  memory_.release(held_);
}

/// Reserves the bytes by which a row may grow, and returns the unused part at the end, also
/// after an exception.
class live_digest::row_room {
 public:
  /// `key` must outlive this object.
  row_room(live_digest& of, const digest::row_key& key, std::size_t growth)
      : of_(of), key_(key), bytes_(growth), before_(now()), is_taken_(of.reserve(growth)) {}
  ~row_room() {
    if (is_taken_) of_.release(bytes_ + before_ - now());
  }
  row_room(const row_room&) = delete;
  row_room& operator=(const row_room&) = delete;

  [[nodiscard]] bool is_taken() const noexcept { return is_taken_; }

 private:
  [[nodiscard]] std::size_t now() const noexcept {
    const digest::row* const known = of_.table_.find(key_);
    return known != nullptr ? bytes_of(*known) : 0;
  }

  live_digest& of_;
  digest::row_key key_;
  std::size_t bytes_;
  std::size_t before_;
  bool is_taken_;
};

std::vector<std::uint64_t> live_digest::add(const shape_delta& delta, wall_time now) {
  const std::lock_guard lock{mutex_};
  evicted_.reserve(digest::table::evicted_at_once(table_.max_rows()));
  if (is_sample_due(now)) sample(now);
  if (unflushed_) unflushed_->make_room_for(delta);
  count(delta, now);
  if (unflushed_) unflushed_->count(delta);
  counted_at_ = now;
  return evicted_.empty() ? std::vector<std::uint64_t>{} : std::exchange(evicted_, {});
}

bool live_digest::is_sample_due(wall_time now) const noexcept {
  return minute_of(now) != minute_of(counted_at_) || now - sampled_at_ >= sample_interval ||
         now < sampled_at_;
}

/// Adds the collections' counts since the last call to the history. Counts of an earlier minute
/// are added to that minute.
void live_digest::sample(wall_time now) {
  if (sampled_at_ < counted_at_ && minute_of(counted_at_) < minute_of(now)) {
    collections_.sample(counted_at_, past_);
  }
  sampled_at_ = now;
  collections_.sample(now, past_);
  shapes_past_.advance(past_.minute());
}

void live_digest::count(const shape_delta& delta, wall_time now) {
  const shape_details& details = *delta.details;
  if (!details.is_shared()) return count_row(delta, now);
  collections_.count_elsewhere(counted_as_of(details), delta, now, delta.refused);
  table_.count_rowless(delta);
}

/// Does everything that may throw first.
void live_digest::count_row(const shape_delta& delta, wall_time now) {
  const shape_details& details = *delta.details;
  const digest::row_key key = details.row_key();
  const digest::row* const known = table_.find(key);
  const row_room room{*this, key, growth_by(delta, known == nullptr)};
  const bool has_row = known != nullptr || room.is_taken();
  digest::row* const row = has_row ? &table_.row_of(key).of : nullptr;
  shape_marks* marks = nullptr;
  std::optional<wall_time> last_finding;
  if (row != nullptr) {
    last_finding = shape_marks::last_of(row);
    if (details.is_finding()) marks = &marks_[row];
    shapes_past_.make_room_for(*row);
  }
  if (room.is_taken()) {
    row->replace_if_worse(details.what);
    if (row->query_shape_hash.empty()) row->query_shape_hash = details.query_shape_hash;
    row->make_room_for(delta);
  }
  collections_.count(details.database, details.collection, counted_as_of(details), delta, now,
                     delta.refused);
  // Nothing throws from here on.
  if (row == nullptr) return table_.count_rowless(delta);
  if (marks != nullptr) {
    marks->count(*details.action, delta, last_finding, resolved_after_);
  }
  shapes_past_.count(*row, delta.count, now);
  room.is_taken() ? table_.count(*row, delta) : table_.count_plainly(*row, delta);
}

void live_digest::keep_unflushed() {
  const std::lock_guard lock{mutex_};
  unflushed_ = std::make_unique<unflushed_digest>(table_.max_rows(), memory_);
}

void live_digest::add(digest::table& from) {
  const std::lock_guard lock{mutex_};
  std::uint64_t left_out = 0;
  std::uint64_t most = from.error_bound();
  for (const digest::row* one : from.ranked()) {
    if (left_out == 0 && merge(*one)) {
      from.remove(one->key());
    } else {  // nothing throws from here on
      ++left_out;
      most = std::max(most, one->count + one->error_bound);
    }
  }
  table_.count_rowless(from.all());
  table_.count_evicted(from.evicted_rows() + left_out, most);
  from = digest::table{from.max_rows()};
}

/// Merges a row of another digest into the rows, but not into the totals. On bad_alloc, has
/// counted nothing. Returns false if the budget has no room.
bool live_digest::merge(const digest::row& one) {
  const row_room room{*this, one.key(), bytes_of(one)};
  if (room.is_taken()) table_.merge(one);
  evicted_.clear();  // no sink has outstanding counts for these
  return room.is_taken();
}

void live_digest::add(const history& other) {
  const std::lock_guard lock{mutex_};
  past_.add(other);
}

void live_digest::read_view(const std::function<void(const view&)>& at, wall_time now) {
  const std::lock_guard lock{mutex_};
  sample(now);
  at({table_, collections_, past_, shapes_past_, now, resolved_after_, marks_,
      unflushed_.get()});
}

void live_digest::read_table(const std::function<void(const digest::table&)>& at) const {
  const std::lock_guard lock{mutex_};
  at(table_);
}

bool live_digest::reserve(std::size_t bytes) noexcept {
  if (!memory_.reserve(bytes, memory_.limit() / share_left)) return false;
  held_ += bytes;
  return true;
}

void live_digest::release(std::size_t bytes) noexcept {
  held_ -= bytes;
  memory_.release(bytes);
}

}  // namespace scattergate::telemetry
