#include "digest/sketches/collection_sketches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace scattergate::digest {
namespace {

/// The characters that stand for the ranks in text(), in order of rank.
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Ertl's sigma: corrects for registers that are still 0.
double sigma(double x) noexcept {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double y = 1;
  double z = x;
  for (double before = -1; z != before;) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

/// Ertl's tau: corrects for registers at their maximum.
double tau(double x) noexcept {
  if (x == 0 || x == 1) return 0;
  double y = 1;
  double z = 1 - x;
  for (double before = -1; z != before;) {
    x = std::sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}

/// A field or pair takes the place of another's sketch if it is pinned more often than this
/// factor times the other's count, plus the margin.
constexpr std::uint64_t displacing_factor = 2;
constexpr std::uint64_t displacing_margin = 64;

template <typename Places>
auto* free_place(Places& places) noexcept {
  const auto found = std::ranges::find_if(places, [](const auto& each) { return !each; });
  return found == places.end() ? nullptr : &*found;
}

/// Whether a field or pair that is pinned `pinned` times may take the place of a sketch that is
/// pinned `others` times.
bool may_displace(std::uint64_t pinned, std::uint64_t others,
                  const value_sketch& of_other) noexcept {
  const bool is_empty = others == 0 && of_other.commonest().total() == 0;
  return is_empty || pinned > displacing_factor * others + displacing_margin;
}

/// The most often pinned first, then by name.
template <typename Kept, typename NameOf>
void rank(std::vector<Kept>& all, NameOf name_of) {
  std::ranges::sort(all, [&](const Kept& a, const Kept& b) {
    return a.of.pinned != b.of.pinned ? a.of.pinned > b.of.pinned : name_of(a) < name_of(b);
  });
}

}  // namespace

void cardinality::add(const cardinality& other) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

double cardinality::estimate() const noexcept {
  std::array<std::uint32_t, max_rank + 1> counts{};
  for (const std::uint8_t rank : registers_) ++counts[rank];
  constexpr auto m = static_cast<double>(size);
  if (counts[0] == size) return 0;
  double sum = m * tau(1 - counts[max_rank] / m);
  for (unsigned rank = max_rank - 1; rank >= 1; --rank) sum = 0.5 * (sum + counts[rank]);
  sum += m * sigma(counts[0] / m);
  constexpr double alpha = 0.721347520444481703680;  // 1 / (2 ln 2)
  return alpha * m * m / sum;
}

std::string cardinality::text() const {
  std::string made(size, ' ');
  std::ranges::transform(registers_, made.begin(),
                         [](std::uint8_t rank) { return alphabet[rank]; });
  return made;
}

std::optional<cardinality> cardinality::from(std::string_view text) {
  if (text.size() != size) return std::nullopt;
  cardinality made;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t rank = alphabet.find(text[i]);
    if (rank > max_rank) return std::nullopt;
    made.registers_[i] = static_cast<std::uint8_t>(rank);
  }
  return made;
}

collection_sketches::collection_sketches(std::string database, std::string collection)
    : database_(std::move(database)), collection_(std::move(collection)) {
  known_.reserve(max_known);
  (void)place_for(add_known("_id"), 0);
}

std::size_t collection_sketches::find(std::string_view path) const noexcept {
  const auto found = std::ranges::find(known_, path, &known::path);
  return found == known_.end() ? none : static_cast<std::size_t>(found - known_.begin());
}

std::optional<sketched_field> collection_sketches::admit(std::string_view path) {
  if (path.empty() || path.size() > max_path_bytes) return std::nullopt;
  std::size_t at = find(path);
  if (at == none) at = add_known(path);
  return at == none ? std::nullopt : std::optional{known_[at].field};
}

/// Adds a field. If there is no room, displaces the least pinned field without a sketch, and
/// takes over its count (space-saving), so that frequent fields stay. `none` if all fields have
/// sketches.
std::size_t collection_sketches::add_known(std::string_view path) {
  std::size_t at = known_.size();
  if (at == max_known) {
    at = none;
    for (std::size_t i = 0; i < max_known; ++i) {
      if (known_[i].place != none) continue;
      if (at == none || known_[i].pinned < known_[at].pinned) at = i;
    }
    if (at == none) return none;
  } else {
    known_.emplace_back();
  }
  known& made = known_[at];
  made.path = path;
  made.field = static_cast<sketched_field>(++last_number_ * max_known + at);
  made.inherited = made.pinned;
  return at;
}

std::vector<collection_sketches::known_field> collection_sketches::known_fields() const {
  std::vector<known_field> made;
  for (const known& each : known_) made.push_back({each.field, each.path});
  return made;
}

void collection_sketches::begin(sketch& of) const noexcept {
  of.requests_before = requests_;
  of.minute_before = in_minute_;
}

/// The place of a known field's sketch, created if there is room; otherwise `none`.
std::size_t collection_sketches::place_for(std::size_t of, std::uint64_t pinned) {
  if (known_[of].place != none) return known_[of].place;
  auto* to = free_place(places_);
  if (to == nullptr) {
    to = std::ranges::min_element(places_, {}, [this](const auto& each) {
      return std::pair{known_[each->of].surely_pinned(), each->values.commonest().total()};
    });
    if (!may_displace(pinned, known_[(*to)->of].surely_pinned(), (*to)->values)) return none;
  }
  auto made = std::make_unique<field_place>();
  const auto place = static_cast<std::size_t>(to - places_.data());
  give_up_field(place);
  made->of = of;
  begin(*made);
  *to = std::move(made);
  known_[of].place = place;
  return place;
}

void collection_sketches::give_up_field(std::size_t place) noexcept {
  if (places_[place] == nullptr) return;
  known_[places_[place]->of].place = none;
  places_[place].reset();
  for (auto& each : pairs_) {
    if (each && (each->first == place || each->second == place)) each.reset();
  }
  for (std::size_t i = 0; i < max_fields; ++i) pair_pins(place, i) = 0;
}

std::unique_ptr<collection_sketches::pair_place>* collection_sketches::find_pair(
    std::size_t one, std::size_t other) noexcept {
  const auto found = std::ranges::find_if(pairs_, [&](const auto& each) {
    return each && ((each->first == one && each->second == other) ||
                    (each->first == other && each->second == one));
  });
  return found == pairs_.end() ? nullptr : &*found;
}

/// The pair's sketch, created if there is room; otherwise null.
collection_sketches::pair_place* collection_sketches::pair_for(std::size_t one,
                                                               std::size_t other,
                                                               std::uint64_t pinned) {
  if (auto* const found = find_pair(one, other)) return found->get();
  auto* to = free_place(pairs_);
  if (to == nullptr) {
    const auto pins_of = [this](const auto& each) {
      return pair_pins(each->first, each->second);
    };
    to = std::ranges::min_element(pairs_, {}, pins_of);
    if (!may_displace(pinned, pins_of(*to), (*to)->values)) return nullptr;
  }
  auto made = std::make_unique<pair_place>();
  made->first = one;
  made->second = other;
  if (path_of(other) < path_of(one)) std::swap(made->first, made->second);
  begin(*made);
  *to = std::move(made);
  return to->get();
}

void collection_sketches::advance(std::int64_t minute) noexcept {
  if (minute == minute_) return;
  const auto end = [&](auto& places) {
    for (auto& each : places) {
      if (!each) continue;
      each->values.end_minute(in_minute_ - each->minute_before);
      each->minute_before = 0;
    }
  };
  end(places_);
  end(pairs_);
  in_minute_ = 0;
  minute_ = minute;
}

/// The place of a field's sketch; `none` if it has none.
std::size_t collection_sketches::place_of(sketched_field field) const noexcept {
  const std::size_t of = field % max_known;
  return of < known_.size() && known_[of].field == field ? known_[of].place : none;
}

void collection_sketches::note_pinned(const sketched_statement& one) {
  sketched_field before = 0;
  for (const sketched_value& value : one.values) {
    const std::size_t of = value.field % max_known;
    if (value.field == before || of >= known_.size() || known_[of].field != value.field) {
      continue;
    }
    before = value.field;
    known& field = known_[of];
    field.pinned += one.weight;
    const std::size_t place = place_for(of, field.surely_pinned());
    if (place != none) places_[place]->pinned += one.weight;
  }
}

void collection_sketches::add(const sketched_statement& one) {
  if (!one.is_insert) note_pinned(one);
  for (const sketched_value& value : one.values) {
    const std::size_t place = place_of(value.field);
    if (place == none) continue;
    places_[place]->values.add(value.hash, one.weight);
    places_[place]->order.add(value.head, one.is_insert);
  }
  if (one.values.size() > 1) add_pairs(one);
  requests_ += one.weight;
  in_minute_ += one.weight;
}

void collection_sketches::add_pairs(const sketched_statement& one) {
  struct hashed {
    std::size_t place;
    std::uint64_t hash;
  };
  std::array<hashed, 32> hashes;
  std::size_t count = 0;
  for (const sketched_value& value : one.values) {
    const std::size_t place = place_of(value.field);
    if (place != none && count != hashes.size()) hashes[count++] = {place, value.hash};
  }
  const auto values = std::span{hashes}.first(count);
  std::array<std::array<bool, max_fields>, max_fields> is_noted{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const auto [low, high] = std::minmax(values[i].place, values[j].place);
      if (low == high) continue;
      const bool is_first = !std::exchange(is_noted[low][high], true);
      std::uint32_t& pins = pair_pins(low, high);
      if (is_first && !one.is_insert && pins < std::numeric_limits<std::uint32_t>::max() / 2) {
        pins += one.weight;
      }
      pair_place* pair = nullptr;
      if (!one.is_insert) {
        pair = pair_for(low, high, pins);
      } else if (auto* const found = find_pair(low, high)) {
        pair = found->get();
      }
      if (pair == nullptr) continue;
      if (is_first && !one.is_insert) pair->pinned += one.weight;
      const bool is_in_order = pair->first == values[i].place;
      pair->values.add(
          paired_hash(values[is_in_order ? i : j].hash, values[is_in_order ? j : i].hash),
          one.weight);
    }
  }
}

std::uint64_t collection_sketches::requests_of(const sketch& one) const noexcept {
  return one.requests + requests_ - one.requests_before;
}

collection_sketches::content collection_sketches::content_of(const sketch& one) const {
  content made{requests_of(one), one.pinned, one.values};
  made.values.restore(one.values.distinct(), one.values.commonest(),
                      one.values.minutes(in_minute_ - one.minute_before));
  return made;
}

std::vector<collection_sketches::kept_field> collection_sketches::fields() const {
  std::vector<kept_field> made;
  for (const auto& each : places_) {
    if (!each) continue;
    made.push_back({known_[each->of].path, content_of(*each)});
    made.back().of.order = each->order.measured();
  }
  rank(made, [](const kept_field& each) { return each.path; });
  return made;
}

std::vector<collection_sketches::kept_pair> collection_sketches::pairs() const {
  std::vector<kept_pair> made;
  for (const auto& each : pairs_) {
    if (each) made.push_back({path_of(each->first), path_of(each->second), content_of(*each)});
  }
  rank(made, [](const kept_pair& each) { return std::pair{each.first, each.second}; });
  return made;
}

/// Excludes the requests from the existing sketches' counts, because these sketches haven't
/// seen them.
void collection_sketches::add_requests(std::uint64_t requests) noexcept {
  requests_ += requests;
  for (auto& each : places_) {
    if (each) each->requests_before += requests;
  }
  for (auto& each : pairs_) {
    if (each) each->requests_before += requests;
  }
}

void collection_sketches::merge(sketch& to, const content& other) {
  to.values.add(other.values);
  to.pinned += other.pinned;
  to.requests += other.requests;
}

bool collection_sketches::add(const kept_field& other) {
  if (!admit(other.path)) return false;
  const std::size_t of = find(other.path);
  const std::size_t place = place_for(of, other.of.pinned);
  if (place == none) return false;
  known_[of].pinned += other.of.pinned;
  merge(*places_[place], other.of);
  if (other.of.order) places_[place]->order.add(*other.of.order);
  return true;
}

bool collection_sketches::add(const kept_pair& other) {
  const std::size_t first = find(other.first);
  const std::size_t second = find(other.second);
  if (first == none || second == none || first == second) return false;
  const std::size_t one = known_[first].place;
  const std::size_t two = known_[second].place;
  if (one == none || two == none) return false;
  pair_place* const to = pair_for(one, two, other.of.pinned);
  if (to == nullptr) return false;
  merge(*to, other.of);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() / 2;
  std::uint32_t& pins = pair_pins(one, two);
  pins = static_cast<std::uint32_t>(std::min<std::uint64_t>(pins + other.of.pinned, most));
  return true;
}

void collection_sketches::add(const collection_sketches& other) {
  add_requests(other.requests_);
  for (const kept_field& each : other.fields()) (void)add(each);
  for (const kept_pair& each : other.pairs()) (void)add(each);
}

}  // namespace scattergate::digest
