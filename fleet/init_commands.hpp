#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace scattergate::fleet {

/// The mongosh commands that prepare the fleet's database: indexes, sharding, and a role with
/// exactly the privileges that sidecars and `report` need. `retain`: documents expire this long
/// after their last write.
[[nodiscard]] std::string init_commands(std::string_view database,
                                        std::chrono::milliseconds retain);

}  // namespace scattergate::fleet
