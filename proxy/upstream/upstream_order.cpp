#include "proxy/upstream/upstream_order.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "fleet/stable_hash.hpp"

namespace scattergate::proxy {
namespace {

using addresses = std::vector<upstream_address_ptr>;

/// Mixes a hash so that each bit of the result depends on all bits: the finalizer of
/// MurmurHash3 (64 bits). FNV-1a alone leaves the high bits of similar texts similar.
std::uint64_t mixed(std::uint64_t hash) noexcept {
  constexpr int shift = 33;
  hash = (hash ^ (hash >> shift)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> shift)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> shift);
}

/// The rank of an address by the choice; the lowest comes first.
std::uint64_t rank_of(const upstream_address& of, config::upstream_choice choice) {
  const std::uint64_t preferred = std::numeric_limits<std::uint64_t>::max() - of.preference();
  return choice == config::upstream_choice::listed ? 0 : preferred;
}

}  // namespace

std::uint64_t preference_of(std::string_view chooser, std::string_view mongos) noexcept {
  fleet::stable_hash hash;
  hash.add(chooser);
  hash.add(mongos);
  return mixed(hash.value());
}

std::chrono::milliseconds return_delay(std::string_view chooser, std::uint64_t count,
                                       std::chrono::milliseconds least) noexcept {
  constexpr std::int64_t steps = 1024;
  fleet::stable_hash hash;
  hash.add(chooser);
  const auto step = static_cast<std::int64_t>(mixed(hash.value() + count) % steps);
  return least + least * step / steps;
}

std::vector<upstream_address_ptr> eligible(const std::vector<upstream_address_ptr>& all,
                                           upstream_address::clock::time_point now) {
  addresses chosen;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(begin, all.end(), [&](const upstream_address_ptr& one) {
      return one->name() != (*begin)->name();
    });
    const auto first = std::find_if(
        begin, end, [now](const upstream_address_ptr& one) { return !one->is_suspect(now); });
    std::copy_if(begin, end, std::back_inserter(chosen), [&](const upstream_address_ptr& one) {
      return first == end || one->address().family() == (*first)->address().family();
    });
    begin = end;
  }
  return chosen;
}

std::vector<upstream_address_ptr> in_order(const std::vector<upstream_address_ptr>& all,
                                           config::upstream_choice choice,
                                           upstream_address::clock::time_point now) {
  const addresses usual = eligible(all, now);
  using rank = std::tuple<bool, bool, std::uint64_t, std::uint64_t>;
  std::vector<std::pair<rank, upstream_address_ptr>> ranked;
  for (const upstream_address_ptr& one : all) {
    const bool is_usual = std::ranges::find(usual, one) != usual.end();
    const std::uint64_t load =
        choice == config::upstream_choice::connections ? one->facts()->connections.load() : 0;
    ranked.push_back({{one->is_suspect(now), !is_usual, load, rank_of(*one, choice)}, one});
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& one) { return one.first; });
  addresses sorted;
  for (auto& [unused, one] : ranked) sorted.push_back(std::move(one));
  return sorted;
}

}  // namespace scattergate::proxy
