#include "proxy/upstream/upstream_address.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "fleet/stable_hash.hpp"
#include "net/network.hpp"

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

/// How long a failed connection makes an address suspect.
constexpr std::chrono::seconds suspect_time{10};

std::string text_of(const net::endpoint& name, const net::socket_address& address) {
  const bool is_itself = name.is_unix() || net::parse_ip_address(name.host);
  return to_string(name) + (is_itself ? "" : " (" + net::host_of(address) + ")");
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

upstream_address::upstream_address(net::endpoint name, const net::socket_address& address,
                                   std::shared_ptr<telemetry::upstream_facts> counts)
    : name_(std::move(name)),
      address_(address),
      text_(text_of(name_, address)),
      counts_(std::move(counts)),
      facts_(std::make_shared<telemetry::address_facts>(to_string(net::endpoint_of(address)))) {
}

void upstream_address::set_standing(proxy::standing to) noexcept {
  standing_ = to;
  facts_->is_draining = to == standing::draining;
}

void upstream_address::set_health(telemetry::upstream_health found, std::string why) {
  facts_->health = found;
  if (found == telemetry::upstream_health::up) suspect_until_ = 0;
  const std::lock_guard lock(mutex_);
  why_failing_ = std::move(why);
}

std::string upstream_address::why_failing() const {
  const std::lock_guard lock(mutex_);
  return why_failing_;
}

void upstream_address::note_failed_connection(clock::time_point now) noexcept {
  suspect_until_ = (now + suspect_time).time_since_epoch().count();
}

bool upstream_address::is_suspect(clock::time_point now) const noexcept {
  const auto found = health();
  return found == telemetry::upstream_health::down ||
         found == telemetry::upstream_health::silent ||
         now.time_since_epoch().count() < suspect_until_.load();
}

upstream_use::upstream_use(upstream_address_ptr of) noexcept : of_(std::move(of)) {
  if (of_) of_->facts()->connections.fetch_add(1, std::memory_order_relaxed);
}

upstream_use::~upstream_use() {
  if (of_) of_->facts()->connections.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace scattergate::proxy
