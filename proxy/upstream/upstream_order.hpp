#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"
#include "proxy/upstream/upstream_address.hpp"

/// The order in which a listener uses the addresses of its mongos.
namespace scattergate::proxy {

/// The preference of `chooser` (a listener of a host) for a mongos, by rendezvous hashing: a
/// mongos that leaves or joins changes the first choice of those alone that had, or will have,
/// this mongos as their first choice. The same in every process and version.
[[nodiscard]] std::uint64_t preference_of(std::string_view chooser,
                                          std::string_view mongos) noexcept;

/// The addresses that a listener uses if all is well. Of a name with IPv4 and IPv6 addresses,
/// which mostly belong to the same mongos, these are the addresses of one version: the version
/// of the first one that isn't suspect. If all are suspect, these are all addresses.
/// REQUIRES: the addresses of a name are neighbours, in the name server's order.
[[nodiscard]] std::vector<upstream_address_ptr> eligible(
    const std::vector<upstream_address_ptr>& all, upstream_address::clock::time_point now);

/// All addresses, in the order in which a search tries them: those without failures first, then
/// the eligible ones, then by `choice`. REQUIRES: the same as eligible().
[[nodiscard]] std::vector<upstream_address_ptr> in_order(
    const std::vector<upstream_address_ptr>& all, config::upstream_choice choice,
    upstream_address::clock::time_point now);

/// How long a listener waits before it returns to the mongos that it prefers: from `least` to
/// twice as long. Differs for each `chooser`, so that the sidecars of a fleet return one after
/// the other, and for each of its returns (`count`).
[[nodiscard]] std::chrono::milliseconds return_delay(std::string_view chooser,
                                                     std::uint64_t count,
                                                     std::chrono::milliseconds least) noexcept;

}  // namespace scattergate::proxy
