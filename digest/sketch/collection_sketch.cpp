#include "digest/sketch/collection_sketch.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace scattergate::digest {
namespace {

static_assert(collection_sketch::own_bytes +
                  most_sketched_fields * collection_sketch::field_bytes +
                  most_sketched_pairs * collection_sketch::pair_bytes <=
              collection_sketch::most_bytes);

}  // namespace

std::size_t collection_sketch::place_of(std::string_view path) const noexcept {
  const auto found = std::ranges::find(fields_, path, &field::path);
  return found == fields_.end() ? none : static_cast<std::size_t>(found - fields_.begin());
}

std::size_t collection_sketch::take_field(std::string_view path, const room& has_room) {
  const std::size_t known = place_of(path);
  if (known != none) return known;
  if (fields_.size() == most_sketched_fields || path.empty() || path.size() > most_path_bytes ||
      !has_room(field_bytes)) {
    return none;
  }
  fields_.push_back({std::string{path}});
  return fields_.size() - 1;
}

std::size_t collection_sketch::take_pair(std::string_view a, std::string_view b,
                                         const room& has_room) {
  if (b < a) std::swap(a, b);
  for (std::size_t i = 0; i != pairs_.size(); ++i) {
    if (pairs_[i].first == a && pairs_[i].second == b) return i;
  }
  if (pairs_.size() == most_sketched_pairs || !has_room(pair_bytes)) return none;
  pairs_.push_back({std::string{a}, std::string{b}});
  return pairs_.size() - 1;
}

void collection_sketch::count(const statement_values& said, std::int64_t second,
                              const room& has_room) {
  ++requests_;
  refused_ += said.refused;
  if (said.is_insert) ++inserts_;
  for (unsigned rest = said.given; rest != 0; rest &= rest - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(rest));
    if (at >= fields_.size()) return count_refused(1);
    value_sketch& values = fields_[at].values;
    values.add(said.hashes[at], second);
    if (said.is_insert) values.add_inserted(said.orders[at], second);
  }
  if (std::popcount(said.given) > 1) count_pairs(said, second, has_room);
}

void collection_sketch::count_pairs(const statement_values& said, std::int64_t second,
                                    const room& has_room) {
  for (unsigned rest = said.given; rest != 0;) {
    const auto a = static_cast<std::size_t>(std::countr_zero(rest));
    rest &= rest - 1;
    for (unsigned others = rest; others != 0; others &= others - 1) {
      count_pair(a, static_cast<std::size_t>(std::countr_zero(others)), said, second, has_room);
    }
  }
}

/// What filters give together is a pair; a document has all of its fields.
void collection_sketch::count_pair(std::size_t a, std::size_t b, const statement_values& said,
                                   std::int64_t second, const room& has_room) {
  std::uint8_t& at = pair_at_[a][b].at;
  if (at == no_pair) [[unlikely]] {
    if (said.is_insert) return;
    const std::size_t taken = take_pair(fields_[a].path, fields_[b].path, has_room);
    if (taken == none) return count_refused(1);
    at = static_cast<std::uint8_t>(taken);
  }
  const bool is_in_order = fields_[a].path < fields_[b].path;
  const std::uint64_t first = said.hashes[is_in_order ? a : b];
  const std::uint64_t second_hash = said.hashes[is_in_order ? b : a];
  pairs_[at].values.add(hash_of_pair(first, second_hash), second);
}

void collection_sketch::add_counts(std::uint64_t requests, std::uint64_t inserts,
                                   std::uint64_t refused) noexcept {
  requests_ += requests;
  inserts_ += inserts;
  refused_ += refused;
}

void collection_sketch::add_field(std::string_view path, const value_sketch::parts& values,
                                  const room& has_room) {
  const std::size_t at = take_field(path, has_room);
  at == none ? count_refused(values.requests) : fields_[at].values.add(values);
}

void collection_sketch::add_pair(std::string_view a, std::string_view b,
                                 const value_sketch::parts& values, const room& has_room) {
  const std::size_t at = take_pair(a, b, has_room);
  at == none ? count_refused(values.requests) : pairs_[at].values.add(values);
}

void collection_sketch::add(const collection_sketch& other, const room& for_fields,
                            const room& for_pairs) {
  for (const field& one : other.fields_) add_field(one.path, one.values.settled(), for_fields);
  for (const pair& one : other.pairs_) {
    add_pair(one.first, one.second, one.values.settled(), for_pairs);
  }
  add_counts(other.requests_, other.inserts_, other.refused_);
}

const value_sketch* collection_sketch::field_at(std::string_view path) const noexcept {
  const std::size_t at = place_of(path);
  return at == none ? nullptr : &fields_[at].values;
}

const value_sketch* collection_sketch::pair_of(std::string_view a,
                                               std::string_view b) const noexcept {
  if (b < a) std::swap(a, b);
  const auto found = std::ranges::find_if(
      pairs_, [&](const pair& one) { return one.first == a && one.second == b; });
  return found == pairs_.end() ? nullptr : &found->values;
}

}  // namespace scattergate::digest
