#include "digest/table.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "wire/label_table.hpp"
#include "wire/namespace_view.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::digest {
namespace {

constexpr wire::label_table<ranking> labels{{
    {ranking::cost, "cost"},
    {ranking::time, "time"},
    {ranking::count, "count"},
    {ranking::errors, "errors"},
    {ranking::fanout, "fanout"},
    {ranking::last_seen, "last-seen"},
}};

/// The value to rank by; the least int64 if it is unknown.
std::int64_t measure(ranking by, const row& of) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  switch (by) {
    case ranking::cost:
      return 0;
    case ranking::time:
      return !of.has_times() ? least : of.total.count();
    case ranking::count:
      return number(of.count);
    case ranking::errors:
      return number(of.errors);
    case ranking::fanout:
      return of.shards.commands == 0 ? least : of.shards.most;
    case ranking::last_seen:
      return of.last_seen ? of.last_seen->time_since_epoch().count() : least;
  }
  return 0;
}

bool costs_more(const row& one, const row& other) {
  const auto rank = [](const row& of) {
    const bool is_scatter = of.what.routing == routing::routing_class::scatter_gather;
    return std::make_tuple(of.shards.wasted, is_scatter, of.total, of.count);
  };
  const auto a = rank(one);
  const auto b = rank(other);
  if (a != b) return a > b;
  const auto name = [](const row& of) {
    return std::tie(of.database, of.collection, of.command, of.shape_hash);
  };
  return name(one) < name(other);
}

/// One in this many rows is evicted at a time.
constexpr std::size_t eviction_share = 8;

void widen(std::optional<wall_time>& from, std::optional<wall_time>& to,
           const std::optional<wall_time>& first,
           const std::optional<wall_time>& last) noexcept {
  if (first && (!from || *first < *from)) from = first;
  if (last && (!to || *last > *to)) to = last;
}

}  // namespace

std::string_view label(ranking by) noexcept {
  return labels[by];
}

std::optional<ranking> ranking_named(std::string_view name) noexcept {
  return labels.find(name);
}

bool ranks_before(ranking by, const row& one, const row& other) {
  const std::int64_t a = measure(by, one);
  const std::int64_t b = measure(by, other);
  return a != b ? a > b : costs_more(one, other);
}

void totals::count_in(const sighting& seen, routing::routing_class routing) {
  commands += seen.count;
  errors += seen.errors;
  by_routing[static_cast<std::size_t>(routing)] += seen.count;
  if (seen.fanout) shards.add(*seen.fanout, seen.count);
  widen(from, to, seen.first, seen.last);
}

void totals::add(const totals& other) noexcept {
  commands += other.commands;
  errors += other.errors;
  for (std::size_t i = 0; i < by_routing.size(); ++i) by_routing[i] += other.by_routing[i];
  shards.add(other.shards);
  widen(from, to, other.from, other.to);
}

void totals::add(const counts& of_a_shape) noexcept {
  add(totals{of_a_shape.count, of_a_shape.errors, of_a_shape.by_routing, of_a_shape.shards,
             of_a_shape.first_seen, of_a_shape.last_seen});
}

void totals::subtract(const totals& earlier) noexcept {
  const auto take_away = [](std::uint64_t& of, std::uint64_t count) {
    of -= std::min(of, count);
  };
  take_away(commands, earlier.commands);
  take_away(errors, earlier.errors);
  for (std::size_t i = 0; i < by_routing.size(); ++i) {
    take_away(by_routing[i], earlier.by_routing[i]);
  }
  shards.subtract(earlier.shards);
  if (earlier.to && (!from || *earlier.to > *from)) from = earlier.to;
}

std::size_t table::hash::operator()(const row_key& key) const noexcept {
  const wire::namespace_view ns{key.database, key.collection};
  return wire::seeded_hash(ns) ^ (key.shape_hash * 0x9e3779b97f4a7c15U);
}

bool table::equal::operator()(const row_key& a, const row_key& b) const noexcept {
  return a.shape_hash == b.shape_hash && a.command == b.command &&
         a.collection == b.collection && a.database == b.database;
}

table::table(std::size_t max_rows, on_evicted evicted)
    : max_rows_(std::max<std::size_t>(max_rows, 1)), evicted_(std::move(evicted)) {}

table::place table::row_of(const row_key& key) {
  if (const auto known = rows_.find(key); known != rows_.end()) return {*known->second, false};
  if (rows_.size() >= max_rows_) make_room();
  row made;
  made.database = key.database;
  made.collection = key.collection;
  made.command = key.command;
  made.shape_hash = key.shape_hash;
  made.error_bound = error_bound_;
  return {take_in(std::move(made)), true};
}

row& table::take_in(row made) {
  auto kept = std::make_unique<row>(std::move(made));
  const row_key key = kept->key();
  return *rows_.emplace(key, std::move(kept)).first->second;
}

const row* table::find(const row_key& key) const noexcept {
  const auto known = rows_.find(key);
  return known == rows_.end() ? nullptr : known->second.get();
}

std::size_t table::evicted_at_once(std::size_t max_rows) noexcept {
  return std::max<std::size_t>(1, max_rows / eviction_share);
}

void table::make_room() {
  std::vector<row*> all;
  all.reserve(rows_.size());
  for (const auto& [key, one] : rows_) all.push_back(one.get());
  const std::size_t leaving = evicted_at_once(all.size());
  const auto fewer = [](const row* a, const row* b) {
    return a->count + a->error_bound < b->count + b->error_bound;
  };
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(leaving - 1),
                   all.end(), fewer);
  all.resize(leaving);
  for (row* one : all) {
    error_bound_ = std::max(error_bound_, one->count + one->error_bound);
    if (evicted_) evicted_(*one);
    rows_.erase(one->key());
  }
  evicted_rows_ += leaving;
}

void table::count(row& in, const sighting& seen, routing::routing_class routing) {
  in.count_in(seen, routing);
  totals_.count_in(seen, routing);
}

void table::count(row& in, const counts& several) {
  in.add(several);
  totals_.add(several);
}

void table::count_plainly(row& in, const counts& several) noexcept {
  in.add_plainly(several);
  totals_.add(several);
}

row& table::merge(const row& other) {
  if (const auto known = rows_.find(other.key()); known != rows_.end()) {
    known->second->add(other);
    return *known->second;
  }
  row made = other;
  if (rows_.size() >= max_rows_) make_room();
  made.error_bound += error_bound_;
  return take_in(std::move(made));
}

void table::add(const row& other) {
  merge(other);
  totals_.add(static_cast<const counts&>(other));
}

void table::add(const table& other) {
  for (const auto& [key, one] : other.rows_) merge(*one);
  totals_.add(other.totals_);
  evicted_rows_ += other.evicted_rows_;
  error_bound_ += other.error_bound_;
}

totals table::rowless() const noexcept {
  totals of_rows;
  for (const auto& [key, one] : rows_) of_rows.add(static_cast<const counts&>(*one));
  totals rest = totals_;
  rest.subtract(of_rows);
  rest.from = totals_.from;  // the times of these commands are unknown
  return rest;
}

void table::add_rowless(const table& other) noexcept {
  totals_.add(other.rowless());
  evicted_rows_ += other.evicted_rows_;
  error_bound_ += other.error_bound_;
}

table table::since(const table& mark) const {
  table made{max_rows_};
  for (const auto& [key, one] : rows_) {
    row rest = *one;
    const row* const before = mark.find(key);
    // A row with another error bound, or with smaller counts, was evicted and created again.
    const bool goes_on = before != nullptr && before->error_bound == one->error_bound &&
                         before->count <= one->count;
    if (goes_on) rest.subtract(*before);
    if (rest.count != 0) made.take_in(std::move(rest));
  }
  made.totals_ = totals_;
  made.totals_.subtract(mark.totals_);
  made.evicted_rows_ = evicted_rows_ - std::min(evicted_rows_, mark.evicted_rows_);
  made.error_bound_ = error_bound_;
  return made;
}

void table::count_evicted(std::uint64_t rows, std::uint64_t most) {
  evicted_rows_ += rows;
  error_bound_ = std::max(error_bound_, most);
}

void table::restore(const totals& all, std::uint64_t evicted_rows, std::uint64_t error_bound) {
  totals_ = all;
  count_evicted(evicted_rows, error_bound);
}

std::vector<const row*> table::ranked(ranking by) const {
  std::vector<const row*> sorted;
  sorted.reserve(rows_.size());
  for (const auto& [key, one] : rows_) sorted.push_back(one.get());
  std::sort(sorted.begin(), sorted.end(),
            [by](const row* a, const row* b) { return ranks_before(by, *a, *b); });
  return sorted;
}

}  // namespace scattergate::digest
