#pragma once

#include <chrono>
#include <cstddef>

#include "routing/verdict.hpp"
#include "telemetry/history/history.hpp"

/// Shared by the tests of telemetry/history/.
namespace scattergate::telemetry::tests {

/// The time at which each test begins.
inline constexpr history::wall_time noon{std::chrono::hours{491'000}};

/// The index in command_counts::of of the commands that went to all shards.
inline constexpr auto scattered =
    static_cast<std::size_t>(routing::routing_class::scatter_gather);

}  // namespace scattergate::telemetry::tests
