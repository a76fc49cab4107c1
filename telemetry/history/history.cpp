#include "telemetry/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "telemetry/history/history_end.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/history/step_ring.hpp"

// read_stored_history(): parses lines of JSON, which are untrusted.

namespace scattergate::telemetry {
namespace {

static_assert((history::most_collections + 1) * (sizeof(history::series) + 1024) <
                  history::max_bytes,
              "names included, which are shorter than that together");

template <std::size_t Size>
void add_steps(std::array<history::step, Size>& to,
               const std::array<history::step, Size>& from) noexcept {
  for (std::size_t i = 0; i < Size; ++i) {
    for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
      add_to_step(to[i][kind], from[i][kind]);
    }
  }
}

std::uint64_t minute_of(history::wall_time at) noexcept {
  const auto since =
      std::chrono::duration_cast<std::chrono::minutes>(at.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since, 1));
}

void advance_series(history::series& of, std::uint64_t from, std::uint64_t to) noexcept {
  clear_steps(of.by_minute, from, to);
  clear_steps(of.by_ten, from / minutes_of_ten, to / minutes_of_ten);
}

double commands_in(const history::series& of) noexcept {
  double sum = 0;
  for (const history::step& each : of.by_ten) {
    for (std::size_t kind = 0; kind < routing::routing_class_count; ++kind) sum += each[kind];
    sum += each[command_counts::accepted];
    sum += each[command_counts::get_more];
  }
  return sum;
}

}  // namespace

void history::series::add(const command_counts& counts, std::uint64_t minute) noexcept {
  step& in_minute = by_minute[minute % minute_steps];
  step& in_ten = by_ten[minute / minutes_of_ten % ten_minute_steps];
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    add_to_step(in_minute[kind], counts.of[kind]);
    add_to_step(in_ten[kind], counts.of[kind]);
  }
}

void history::series::add(const series& other) noexcept {
  add_steps(by_minute, other.by_minute);
  add_steps(by_ten, other.by_ten);
}

history::history() : others_(std::make_unique<series>()) {}

double history::decay_of_busy(std::chrono::seconds after) noexcept {
  constexpr double day = 24.0 * 60 * 60;
  return std::exp(-std::max(0.0, static_cast<double>(after.count())) / day);
}

void history::advance(wall_time now) {
  const std::uint64_t minute = minute_of(now);
  if (minute + ten_minute_steps * minutes_of_ten < minute_) forget();
  if (minute > minute_) advance_to(minute);
  if (last_ == wall_time{}) last_ = now;
  if (now > last_) {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - last_);
    for (collection& each : collections_) each.busy *= decay_of_busy(passed);
    last_ += passed;  // keeps the fraction of a second
  }
}

/// Clears everything, because the clock was set back by more than a day: the stored steps are
/// in the future and would never expire.
void history::forget() {
  collections_.clear();
  *others_ = {};
  minute_ = 0;
  last_ = {};
}

void history::advance_to(std::uint64_t minute) {
  for (collection& each : collections_) advance_series(*each.steps, minute_, minute);
  advance_series(*others_, minute_, minute);
  minute_ = minute;
}

void history::add(const history_sample& sample) {
  if (sample.counts == command_counts{}) return;
  collection* const in = place_for(sample);
  if (in == nullptr) return add_others(sample.counts);
  in->busy += static_cast<double>(sample.counts.commands());
  in->steps->add(sample.counts, minute_);
}

history::collection* history::find(std::string_view database, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(collections_, [&](const collection& each) {
    return each.database == database && each.name == name;
  });
  return found == collections_.end() ? nullptr : &*found;
}

history::collection* history::place_for(const history_sample& sample) {
  if (collection* const known = find(sample.database, sample.collection)) return known;
  std::string database{sample.database};
  std::string name{sample.collection};
  if (collections_.size() < most_collections) {
    return &collections_.emplace_back(
        collection{std::move(database), std::move(name), 0, std::make_unique<series>()});
  }
  collection& least = *std::ranges::min_element(collections_, {}, &collection::busy);
  if (sample.busy <= least.busy) return nullptr;
  others_->add(*least.steps);
  *least.steps = {};
  least.database = std::move(database);
  least.name = std::move(name);
  least.busy = sample.busy - static_cast<double>(sample.counts.commands());
  return &least;
}

std::vector<const history::collection*> history::ranked() const {
  std::vector<const collection*> all;
  all.reserve(collections_.size());
  for (const collection& each : collections_) all.push_back(&each);
  std::ranges::stable_sort(all, std::greater{}, &collection::busy);
  return all;
}

void history::add(const history& other, wall_time now) {
  if (other.minute_ > minute_of(now) + minutes_of_ten) return;
  const auto theirs = other.ranked();
  std::vector<collection> begun;
  for (const collection* each : theirs) {
    const bool has_room = collections_.size() + begun.size() < most_collections;
    if (!has_room || find(each->database, each->name) != nullptr) continue;
    begun.push_back({each->database, each->name, 0, std::make_unique<series>()});
  }
  collections_.reserve(collections_.size() + begun.size());
  // Nothing throws from here on.
  std::ranges::move(begun, std::back_inserter(collections_));
  const std::uint64_t newest = std::max(minute_, other.minute_);
  advance_to(newest);
  const auto take = [&](const series& from, series& into) {
    series brought = from;
    advance_series(brought, other.minute_, newest);
    into.add(brought);
  };
  take(*other.others_, *others_);
  for (const collection* each : theirs) {
    collection* const own = find(each->database, each->name);
    take(*each->steps, own != nullptr ? *own->steps : *others_);
    if (own != nullptr) own->busy += each->busy;
  }
}

history::series* history::restore(std::string database, std::string name) {
  if (collections_.size() == most_collections || find(database, name) != nullptr) {
    return nullptr;
  }
  return collections_
      .emplace_back(
          collection{std::move(database), std::move(name), 0, std::make_unique<series>()})
      .steps.get();
}

void history::restored() {
  for (collection& each : collections_) each.busy = commands_in(*each.steps);
}

namespace {

namespace json = boost::json;

/// Minutes since 1970 beyond the year 9999 are invalid.
constexpr std::uint64_t last_minute = 4'223'000'000;

std::optional<json::object> object_of(std::string_view line) {
  boost::system::error_code failed;
  json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return std::nullopt;
  return std::move(parsed.as_object());
}

std::optional<std::uint64_t> number_in(const json::value& value, std::uint64_t most) {
  boost::system::error_code failed;
  const bool is_whole = value.is_int64() || value.is_uint64();
  const auto number = value.to_number<std::uint64_t>(failed);
  if (!is_whole || failed || number > most) return std::nullopt;
  return number;
}

/// Reads what append_steps() writes; false if it is invalid. Unknown kinds are ignored.
template <std::size_t Size>
bool read_steps(const json::value* from, std::array<history::step, Size>& to,
                std::uint64_t newest) {
  if (from == nullptr || !from->is_object()) return false;
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    const json::value* const found = from->as_object().if_contains(name_of(kind));
    if (found == nullptr) continue;
    if (!found->is_array() || found->as_array().size() != Size) return false;
    for (std::size_t i = 0; i < Size; ++i) {
      const auto number =
          number_in(found->as_array()[i], std::numeric_limits<std::uint32_t>::max());
      if (!number) return false;
      to[(newest + 1 + i) % Size][kind] = static_cast<std::uint32_t>(*number);
    }
  }
  return true;
}

bool read_series(const json::object& from, history::series& to, std::uint64_t minute) {
  return read_steps(from.if_contains("minutes"), to.by_minute, minute) &&
         read_steps(from.if_contains("tenMinutes"), to.by_ten, minute / minutes_of_ten);
}

std::optional<std::string> text_in(const json::object& from, std::string_view name) {
  const json::value* const found = from.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string{found->as_string()};
}

/// Reads the line of a collection, or that of all other collections, which has no names.
bool read_line(std::string_view line, history& to) {
  const auto from = object_of(line);
  if (!from) return false;
  const auto steps = std::make_unique<history::series>();
  if (!read_series(*from, *steps, to.minute())) return false;
  auto database = text_in(*from, "database");
  auto name = text_in(*from, "collection");
  history::series* own = nullptr;
  if (database && name) own = to.restore(std::move(*database), std::move(*name));
  (own != nullptr ? *own : to.restore_others()).add(*steps);
  return true;
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool read_head(std::string_view line, history& to) {
  const auto head = object_of(line);
  if (!head) return false;
  const json::value* const version = head->if_contains("schemaVersion");
  const json::value* const minute = head->if_contains("minute");
  if (version == nullptr || number_in(*version, 1).value_or(0) != 1) return false;
  const auto number = minute != nullptr ? number_in(*minute, last_minute) : std::nullopt;
  if (number) to.restore_minute(*number);
  return number.has_value();
}

bool read_all(std::string_view lines, history& to) {
  if (!read_head(next_line(lines), to)) return false;
  while (!lines.empty()) {
    if (!read_line(next_line(lines), to)) return false;
  }
  to.restored();
  return true;
}

}  // namespace

text::result<void> read_stored_history(std::string_view text, history& to) {
  if (text.size() > history::max_bytes) {
    return text::failure("the history exceeds the maximum size");
  }
  const std::size_t end = text.rfind("\n{\"end\":");
  if (end == text.npos) return text::failure("the history is truncated: its end is missing");
  const std::string_view lines = text.substr(0, end + 1);
  history read;
  if (text.substr(lines.size()) != history_end(lines) || !read_all(lines, read)) {
    return text::failure("the history is corrupt");
  }
  to.add(read);
  return {};
}

}  // namespace scattergate::telemetry
