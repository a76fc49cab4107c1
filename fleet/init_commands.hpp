#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace scattergate::fleet {

/// The commands for mongosh that prepare the fleet's database: indexes, sharding, and a role
/// with what sidecars and `report` need and no more.
[[nodiscard]] std::string init_commands(std::string_view database,
                                        std::chrono::milliseconds retain);

}  // namespace scattergate::fleet
