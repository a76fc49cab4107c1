#include "digest/judge.hpp"

#include "routing/classify.hpp"

namespace scattergate::digest {
namespace {

std::shared_ptr<const routing::catalog> without_chunks(const routing::catalog& of) {
  routing::catalog_builder builder;
  builder.set_version(of.version());
  builder.set_unlisted(of.unlisted());
  for (const routing::collection& one : of.collections()) {
    routing::collection entry = one;
    entry.chunks = {};
    // Can't fail: a catalog has accepted this entry before.
    if (!builder.add(std::move(entry))) (void)builder.finish_collection();
  }
  return builder.build();
}

}  // namespace

routing::verdict judge::verdict_of(const wire::command& command) {
  return routing::classify(command, *catalog_, memory_);
}

routing::verdict judge::verdict_of_made_up(const wire::command& command) {
  routing::verdict verdict = verdict_of(command);
  if (verdict.bounds == routing::bounds_kind::narrowed) {
    if (without_chunks_ == nullptr) without_chunks_ = without_chunks(*catalog_);
    verdict = routing::classify(command, *without_chunks_, memory_);
  }
  if (verdict.lint == routing::lint_kind::shard_key_update) {
    verdict.lint = routing::lint_kind::none;
  }
  return verdict;
}

}  // namespace scattergate::digest
