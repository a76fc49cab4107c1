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
    const routing::collection& made = one.record.made;
    if (one.record.what == collection_record::kind::unreadable) {
      builder.add_unreadable(made, {"config.collections", one.record.why});
      continue;
    }
    // An unsharded time series is on one shard, so its routing doesn't depend on its buckets.
    if (!one.is_sharded() && made.name.starts_with(routing::buckets_prefix)) continue;
    // An entry's problems were checked when its record was read.
    if (builder.add(made)) continue;
    if (one.chunks) one.chunks->add_to(builder);
    static_cast<void>(builder.finish_collection());
  }
  for (const std::string& why : nameless_) {
    builder.add_unreadable({}, {"config.collections", why});
  }
  for (const auto& [database, views] : views_.by_database) {
    for (const view_record& view : views.made) {
      if (!view.why.empty()) {
        builder.add_unreadable(view.made, {"listCollections", view.why});
      } else if (!builder.add(view.made)) {
        static_cast<void>(builder.finish_collection());
      }
    }
  }
  return builder.build();
}

}  // namespace scattergate::config
