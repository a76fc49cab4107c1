#include "fleet/flush_plan.hpp"

#include <algorithm>
#include <tuple>

#include "digest/stored.hpp"
#include "fleet/names.hpp"

namespace scattergate::fleet {
namespace {

/// The maximum number of rows to read: more than a state file of the maximum size can have.
constexpr std::size_t max_rows = 2'000'000;

bool is_before(const digest::row& a, const digest::row& b) {
  return std::tie(a.database, a.collection, a.command, a.shape_hash) <
         std::tie(b.database, b.collection, b.command, b.shape_hash);
}

}  // namespace

std::string_view collection_of(statistics_kind kind) noexcept {
  return kind == statistics_kind::shapes ? collections::shapes : collections::callers;
}

text::result<flush_plan> flush_plan::of(const frozen_delta& delta) {
  const digest::stored_digest read = digest::read_stored(delta.rows, max_rows);
  if (read.end) return *read.end;
  return flush_plan{read.rows};
}

flush_plan::flush_plan(const digest::table& delta)
    : rowless_{delta.rowless(), delta.evicted_rows(), delta.error_bound()} {
  for (const digest::row* const one : delta.ranked()) {
    if (one->count != 0) rows_.push_back(*one);
  }
  std::ranges::sort(rows_, is_before);
  has_rowless_ = rowless_.sums.commands != 0 || rowless_.evicted_rows != 0;
  for (const digest::row& one : rows_) {
    for (digest::caller& who : one.who.all()) callers_.push_back({&one, std::move(who), false});
    if (one.who.others() == 0) continue;
    digest::caller others;
    others.count = one.who.others();
    callers_.push_back({&one, std::move(others), true});
  }
}

std::size_t flush_plan::size(statistics_kind kind) const noexcept {
  if (kind == statistics_kind::callers) return callers_.size();
  return rows_.size() + (has_rowless_ ? 1 : 0);
}

std::vector<std::byte> flush_plan::statement(statistics_kind kind, std::size_t index,
                                             const flush_place& at,
                                             when_missing missing) const {
  if (kind == statistics_kind::callers) return caller_statement(callers_[index], at, missing);
  if (index < rows_.size()) return shape_statement(rows_[index], at, missing);
  return rowless_statement(rowless_, at, missing);
}

std::string flush_plan::shape(std::size_t index) const {
  return index < rows_.size() ? shape_name(rows_[index].key()) : std::string{rowless_shape};
}

std::vector<std::vector<std::byte>> flush_plan::batch(statistics_kind kind, std::size_t from,
                                                      const flush_place& at) const {
  std::vector<std::vector<std::byte>> made;
  std::size_t bytes = 0;
  for (std::size_t i = from; i < size(kind) && made.size() < most_statements; ++i) {
    auto one = statement(kind, i, at, when_missing::create);
    bytes += one.size();
    if (bytes > most_bytes && !made.empty()) break;
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace scattergate::fleet
