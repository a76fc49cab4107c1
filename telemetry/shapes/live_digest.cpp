#include "telemetry/shapes/live_digest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "digest/finding.hpp"
#include "digest/row.hpp"
#include "routing/command_kind.hpp"
#include "telemetry/history/shape_history.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

/// The digests leave the fraction 1/share_left of the memory budget free for traffic.
constexpr std::size_t share_left = 4;

/// The memory of a row beyond the object and its texts: its entries in the index, the marks and
/// the history, and malloc's overhead.
constexpr std::size_t place_bytes = 256 + sizeof(shape_marks) + 64 + shape_history::row_bytes;

std::size_t bytes_of(const std::string& text) noexcept {
  return sizeof text + text.size();
}

std::size_t bytes_of(const digest::description& what) noexcept {
  std::size_t bytes =
      what.shape_json.size() + what.shard_key_json.size() + what.suggestion.size();
  for (const auto* list : {&what.missing, &what.lints}) {
    for (const std::string& text : *list) bytes += bytes_of(text);
  }
  return bytes;
}

/// The memory of a row, with its texts and its entries in tables, in bytes.
std::size_t bytes_of(const digest::row& row) noexcept {
  return place_bytes + sizeof row + row.database.size() + row.collection.size() +
         row.command.size() + row.query_shape_hash.size() + bytes_of(row.what) +
         row.who.bytes() + row.times.bytes() + row.fanouts.bytes() + row.run.bytes();
}

/// An upper bound, in bytes, of the memory that counting a delta (a shape's new counts) adds to
/// the shape's row. `is_new`: the row doesn't exist yet, so the bound is for the whole row.
std::size_t growth_by(const shape_delta& delta, bool is_new) noexcept {
  const shape_details& details = *delta.details;
  const std::size_t texts = details.query_shape_hash.size() + bytes_of(details.what) +
                            delta.who.bytes() + delta.times.bytes();
  if (!is_new) return texts;
  const digest::row_key key = details.row_key();
  return place_bytes + sizeof(digest::row) + key.database.size() + key.collection.size() +
         key.command.size() + texts;
}

/// How often counts are added to the history.
constexpr std::chrono::seconds sample_interval{10};

auto minute_of(digest::wall_time at) noexcept {
  return std::chrono::floor<std::chrono::minutes>(at);
}

constexpr wire::label_table<shape_kind> labels{{
    {shape_kind::finding, "finding"},
    {shape_kind::resolved, "resolved"},
    {shape_kind::accepted, "accepted"},
    {shape_kind::get_more, "getMore"},
    {shape_kind::other, "other"},
}};

std::uint64_t count_of(const shape_marks* marks, finding_action action) noexcept {
  return marks == nullptr ? 0 : marks->actions[static_cast<std::size_t>(action)];
}

/// Findings that no rule accepted.
std::uint64_t alarms_of(const shape_marks* marks) noexcept {
  if (marks == nullptr) return 0;
  const std::uint64_t all =
      std::accumulate(marks->actions.begin(), marks->actions.end(), std::uint64_t{0});
  return all - count_of(marks, finding_action::accepted);
}

}  // namespace

bool row_memory::reserve(std::size_t bytes) noexcept {
  if (!budget_.reserve(bytes, budget_.limit() / share_left)) return false;
  held_ += bytes;
  return true;
}

void row_memory::release(std::size_t bytes) noexcept {
  held_ -= bytes;
  budget_.release(bytes);
}

unflushed_digest::unflushed_digest(std::size_t max_rows, memory_budget& memory)
    : memory_(memory), max_rows_(max_rows), table_(0) {
  clear();
}

void unflushed_digest::make_room_for(const shape_delta& delta) {
  settle();
  row_ = nullptr;
  const shape_details& details = *delta.details;
  if (details.is_shared()) return;
  const digest::row_key key = details.row_key();
  const digest::row* const known = table_.find(key);
  const std::size_t growth = growth_by(delta, known == nullptr);
  if (!memory_.reserve(growth)) return;
  reserved_ = growth + (known == nullptr ? 0 : bytes_of(*known));
  digest::row& row = table_.row_of(key).of;
  row_ = &row;
  row.replace_if_worse(details.what);
  if (row.query_shape_hash.empty()) row.query_shape_hash = details.query_shape_hash;
  row.make_room_for(delta);
}

void unflushed_digest::count(const shape_delta& delta) noexcept {
  if (row_ == nullptr) return count_plainly(delta);
  table_.count(*row_, delta);
  settle();
}

/// Returns the unused part of what was reserved for the row.
void unflushed_digest::settle() noexcept {
  if (reserved_ == 0) return;
  memory_.release(reserved_ - (row_ == nullptr ? 0 : bytes_of(*row_)));
  reserved_ = 0;
}

void unflushed_digest::count_plainly(const shape_delta& delta) noexcept {
  const shape_details& details = *delta.details;
  const bool has_row = !details.is_shared() && table_.find(details.row_key()) != nullptr;
  if (!has_row) return table_.count_rowless(delta);
  table_.count_plainly(table_.row_of(details.row_key()).of, delta);
}

void unflushed_digest::clear() noexcept {
  settle();
  row_ = nullptr;
  table_ = digest::table{max_rows_,
                         [this](const digest::row& gone) { memory_.release(bytes_of(gone)); }};
  memory_.release_all();
}

live_digest::live_digest(std::size_t max_rows, memory_budget& memory,
                         std::chrono::nanoseconds resolved_after)
    : budget_(memory),
      resolved_after_(resolved_after),
      memory_(memory),
      table_(max_rows, [this](const digest::row& gone) {
        if (evicted_.size() < evicted_.capacity()) evicted_.push_back(gone.shape_hash);
        marks_.erase(&gone);
        shapes_past_.forget(gone);
        memory_.release(bytes_of(gone));
      }) {}

/// Reserves the bytes by which a row may grow, and returns the unused part at the end, also
/// after an exception.
class live_digest::row_room {
 public:
  /// `key` must outlive this object.
  row_room(live_digest& of, const digest::row_key& key, std::size_t growth)
      : of_(of),
        key_(key),
        bytes_(growth),
        before_(now()),
        is_taken_(of.memory_.reserve(growth)) {}
  ~row_room() {
    if (is_taken_) of_.memory_.release(bytes_ + before_ - now());
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
  unflushed_ = std::make_unique<unflushed_digest>(table_.max_rows(), budget_);
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

std::string_view label(shape_kind kind) noexcept {
  return labels[kind];
}

shape_kind kind_of(const digest::row& row, const live_digest::view& all) {
  if (routing::kind_of(row.command) == routing::command_kind::get_more)
    return shape_kind::get_more;
  const shape_marks* const marks = all.marks_of(row);
  const bool is_quiet = is_resolved(row, marks, all.now, all.resolved_after);
  const std::uint64_t alarms = alarms_of(marks);
  const bool has_accepted = count_of(marks, finding_action::accepted) != 0;
  if (has_accepted && (alarms == 0 || is_quiet)) return shape_kind::accepted;
  if (alarms == 0 && !digest::is_finding(row)) return shape_kind::other;
  return is_quiet ? shape_kind::resolved : shape_kind::finding;
}

counted_as counted_as_of(const shape_details& details) noexcept {
  const bool is_shared_finding =
      details.scope == shape_scope::other || details.scope == shape_scope::failed;
  if (details.action == finding_action::accepted) return counted_as::accepted;
  if (details.is_finding() || is_shared_finding) return counted_as::finding;
  return !details.is_shared() && details.command == routing::command_kind::get_more
             ? counted_as::get_more
             : counted_as::ordinary;
}

std::uint64_t refused_of(const shape_marks* marks) noexcept {
  return count_of(marks, finding_action::rejected) + count_of(marks, finding_action::throttled);
}

std::vector<const digest::row*> in_shown_order(const live_digest::view& all) {
  std::vector<const digest::row*> rows = all.shapes.ranked();
  std::stable_partition(rows.begin(), rows.end(), [&](const digest::row* row) {
    return refused_of(all.marks_of(*row)) != 0;
  });
  return rows;
}

}  // namespace scattergate::telemetry
