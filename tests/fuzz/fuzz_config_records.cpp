// A mongos's replies about the config database: the first document is a collection's record,
// the others are its chunks'. Any records make a valid catalog.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "config/cluster/chunk_set.hpp"
#include "config/cluster/config_records.hpp"
#include "routing/catalog/catalog.hpp"

using namespace scattergate;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

std::vector<wire::document_view> documents_in(std::span<const std::byte> bytes) {
  std::vector<wire::document_view> found;
  while (const auto document = wire::document_view::first_of(bytes)) {
    found.push_back(*document);
    bytes = bytes.subspan(document->size_bytes());
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto documents = documents_in(std::as_bytes(std::span{data, size}));
  for (const wire::document_view document : documents) {
    static_cast<void>(config::read_shard(document));
    static_cast<void>(config::read_database(document));
    static_cast<void>(config::read_cluster_id(document));
  }
  if (documents.empty()) return 0;
  const config::collection_record of = config::read_collection(documents.front());
  if (of.what != config::collection_record::kind::sharded) return 0;
  std::vector<config::chunk_update> updates;
  for (const wire::document_view document : documents) {
    const auto chunk = config::read_chunk(document);
    if (!chunk) continue;
    auto update = config::read_update(of.made, *chunk);
    if (!update) continue;
    static_cast<void>(chunk->is_of(of.made, of.is));
    updates.push_back(*std::move(update));
  }
  config::chunk_set chunks;
  chunks.merge(std::move(updates));
  routing::catalog_builder builder;
  check(!builder.add(of.made));
  const bool is_whole = chunks.is_whole(of.made);
  chunks.add_to(builder);
  // Both must agree whether the chunks leave a gap. No chunks at all aren't a gap.
  const bool is_good = !builder.finish_collection();
  check(is_good == (is_whole || chunks.size() == 0));
  const auto made = builder.build();
  check(made->find(of.made.database, of.made.name) != nullptr);
  return 0;
}
