#include "config/cluster/cluster_mirror.hpp"

#include "config/cluster/mirror_load.hpp"
#include "routing/catalog/catalog_rules.hpp"

namespace scattergate::config {

cluster_mirror::cluster_mirror(mirror_bounds bounds, catalog_facts& facts)
    : bounds_(bounds), facts_(facts) {}

load_outcome cluster_mirror::load(mongo_reader& from, load_depth depth,
                                  const load_hooks& hooks) {
  return mirror_load{*this, from, depth, hooks}.run();
}

std::shared_ptr<const routing::catalog> cluster_mirror::make_catalog() const {
  routing::catalog_builder builder;
  if (version_) builder.set_version(*version_);
  for (const auto& [name, one] : collections_) {
    // An unsharded time series is on one shard, so its routing doesn't depend on its buckets.
    const bool is_plain_series = !one.is_sharded() && !one.record.made.is_unreadable &&
                                 one.record.made.name.starts_with(routing::buckets_prefix);
    // An entry's problems were checked when its record was read.
    if (is_plain_series || builder.add(one.record.made)) continue;
    if (one.chunks) one.chunks->add_to(builder);
    static_cast<void>(builder.finish_collection());
  }
  for (const auto& [database, views] : views_.by_database) {
    for (const routing::collection& view : views.made) {
      if (!builder.add(view)) static_cast<void>(builder.finish_collection());
    }
  }
  return builder.build();
}

}  // namespace scattergate::config
