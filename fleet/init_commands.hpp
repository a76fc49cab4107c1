#pragma once

#include <string>
#include <string_view>

namespace scattergate::fleet {

/// Makes the mongosh commands that prepare the fleet's database: indexes, sharding, a role
/// with exactly the privileges that sidecars (scattergate daemons) and `report` need, and a
/// user with this role. `database`: the database's name.
[[nodiscard]] std::string init_commands(std::string_view database);

}  // namespace scattergate::fleet
