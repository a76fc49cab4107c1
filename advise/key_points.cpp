#include "advise/key_points.hpp"

#include <algorithm>
#include <array>

#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"

namespace scattergate::advise {
namespace {

/// The maximum number of points per statement. Further ones are ignored.
constexpr std::size_t most_points = 64;
/// Chunk bounds use this many fields of the key; further fields are MinKey.
constexpr std::size_t most_split = 3;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

using split_place = std::array<std::uint64_t, most_split>;

void append(routing::bytes_view bytes, std::vector<std::byte>& to) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_hash(std::uint64_t place, std::vector<std::byte>& to) {
  std::array<std::byte, 256> block{};
  routing::scratch memory{block};
  append(routing::encode_int64(static_cast<std::int64_t>(place ^ sign_bit), memory), to);
}

}  // namespace

std::optional<key_points> key_points::of(const traffic& sent, const shard_key& key) {
  key_points made{sent, key};
  for (const routing::key_field& field : key) {
    const auto number = sent.field_of(field.path);
    if (!number) return std::nullopt;
    made.numbers_.push_back(*number);
  }
  return made;
}

void key_points::for_each(
    const weighted_command& in, std::size_t fields,
    const std::function<void(std::span<const std::uint32_t>)>& visit) const {
  const auto pins = in_->pins_of(in);
  thread_local std::vector<std::vector<std::uint32_t>> values;  // static, to reuse its memory
  thread_local std::vector<std::uint32_t> point;
  values.resize(fields);
  point.resize(fields);
  for (std::size_t at = 0; at < pins.size();) {
    const std::uint32_t statement = pins[at].statement;
    for (auto& each : values) each.clear();
    for (; at < pins.size() && pins[at].statement == statement; ++at) {
      for (std::size_t i = 0; i < fields; ++i) {
        if (numbers_[i] == pins[at].field) values[i].push_back(pins[at].value);
      }
    }
    std::size_t all = 1;
    for (const auto& each : values) all *= each.size();
    for (std::size_t n = 0; n < std::min(all, most_points); ++n) {
      std::size_t rest = n;
      for (std::size_t i = 0; i < fields; ++i) {
        point[i] = values[i][rest % values[i].size()];
        rest /= values[i].size();
      }
      visit(point);
    }
  }
}

std::vector<std::vector<std::byte>> key_points::hash_bounds(std::size_t shards) const {
  std::vector<std::vector<std::byte>> made;
  const std::uint64_t width = ~std::uint64_t{0} / shards;
  for (std::size_t i = 1; i < shards; ++i) {
    const std::array<std::uint64_t, 1> begin = {width * i};
    made.push_back(bound_of(begin));
  }
  return made;
}

std::vector<std::byte> key_points::bound_of(std::span<const std::uint64_t> place) const {
  std::vector<std::byte> made;
  for (std::size_t i = 0; i < key_->size(); ++i) {
    if (i >= place.size()) {
      append(routing::encoded_min_key(), made);
    } else if ((*key_)[i].hashed) {
      append_hash(place[i], made);
    } else {
      const field_values& of = field(i);
      const std::string& encoded = of.encoded[of.by_rank[place[i]]];
      append(std::as_bytes(std::span{encoded}), made);
    }
  }
  return made;
}

std::vector<std::vector<std::byte>> key_points::bounds(
    std::size_t shards, const std::optional<time_window>& window) const {
  if ((*key_)[0].hashed) return hash_bounds(shards);
  for (std::size_t fields = std::min(size(), most_split); fields > 0; --fields) {
    std::vector<split_place> all;
    for (const weighted_command& each : in_->commands()) {
      if (window && each.at && window->is_held_out(*each.at)) continue;
      for_each(each, fields, [&](std::span<const std::uint32_t> point) {
        split_place made{};
        for (std::size_t i = 0; i < fields; ++i) {
          const field_values& of = field(i);
          made[i] = (*key_)[i].hashed
                        ? static_cast<std::uint64_t>(of.hashes[point[i]].value_or(0)) ^ sign_bit
                        : of.ranks[point[i]];
        }
        all.push_back(made);
      });
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    if (all.size() < shards && fields > 1) continue;
    std::vector<std::vector<std::byte>> made;
    for (std::size_t i = 1; i < std::min(shards, all.size()); ++i) {
      const split_place& begin = all[all.size() * i / std::min(shards, all.size())];
      made.push_back(bound_of(std::span{begin}.first(fields)));
    }
    return made;
  }
  return {};
}

}  // namespace scattergate::advise
