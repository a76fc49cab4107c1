#pragma once

#include <string>
#include <string_view>

namespace scattergate::fleet {

/// The mongosh commands that prepare the fleet's database: indexes, sharding, and a role with
/// exactly the privileges that sidecars and `report` need.
[[nodiscard]] std::string init_commands(std::string_view database);

}  // namespace scattergate::fleet
