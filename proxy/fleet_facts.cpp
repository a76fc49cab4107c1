#include "proxy/fleet_facts.hpp"

#include "config/options/load.hpp"
#include "fleet/stable_hash.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/describe.hpp"
#include "telemetry/metrics/build_info.hpp"

namespace scattergate::proxy {
namespace {

/// A hash of the catalog's namespaces and shard keys. Excludes chunks, because they often move.
std::string hash_of(const routing::catalog& catalog) {
  fleet::stable_hash hash;
  for (const routing::collection& one : catalog.collections()) {
    hash.add(one.full_name());
    hash.add(routing::shard_key_json(one));
  }
  return routing::shape_hash_text(hash.value());
}

std::string hash_of(const policy& rules) {
  if (rules.all().empty()) return {};
  config::options only_rules;
  only_rules.rules.assign(rules.all().begin(), rules.all().end());
  fleet::stable_hash hash;
  hash.add(config::to_yaml(only_rules));
  return routing::shape_hash_text(hash.value());
}

}  // namespace

fleet::sidecar_facts fleet_facts_of(const settings& in_force,
                                    const std::string& catalog_source) {
  fleet::sidecar_facts facts;
  facts.version = telemetry::this_build().version;
  facts.catalog = in_force.catalog->is_absent()
                      ? "none"
                      : catalog_source + " " + hash_of(*in_force.catalog);
  facts.rules = hash_of(in_force.rules);
  return facts;
}

}  // namespace scattergate::proxy
