#pragma once

#include <string>

#include "fleet/sidecar_document.hpp"
#include "proxy/settings.hpp"

namespace scattergate::proxy {

/// What this daemon's document in the fleet says about it: its version, and by which catalog
/// and rules it judges. Equal texts mean equal catalogs and rules.
[[nodiscard]] fleet::sidecar_facts fleet_facts_of(const settings& in_force,
                                                  const std::string& catalog_source);

}  // namespace scattergate::proxy
