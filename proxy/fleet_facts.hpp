#pragma once

#include <string>

#include "fleet/sidecar_document.hpp"
#include "proxy/settings.hpp"

namespace scattergate::proxy {

/// This daemon's version, catalog and rules, for its document in the fleet's database. Other
/// members of the result are unset. If two daemons have equal values of sidecar_facts::catalog
/// and ::rules, they have the same shard keys and rules. `in_force`: the current settings.
/// `catalog_source`: the option catalog.source.
[[nodiscard]] fleet::sidecar_facts fleet_facts_of(const settings& in_force,
                                                  const std::string& catalog_source);

}  // namespace scattergate::proxy
