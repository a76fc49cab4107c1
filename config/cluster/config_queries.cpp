#include "config/cluster/config_queries.hpp"

#include <bson/bson.h>

namespace scattergate::config {
namespace {

constexpr std::int32_t batch = 5'000;

/// libbson's document, given back as bytes.
class builder {
 public:
  builder() { bson_init(&document_); }
  ~builder() { bson_destroy(&document_); }
  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;

  [[nodiscard]] bson_t* get() noexcept { return &document_; }
  [[nodiscard]] bson_document bytes() const {
    const auto all = std::as_bytes(std::span{bson_get_data(&document_), document_.len});
    return {all.begin(), all.end()};
  }

 private:
  bson_t document_;
};

void project(bson_t* to, std::initializer_list<const char*> fields) {
  bson_t projection;
  BSON_APPEND_DOCUMENT_BEGIN(to, "projection", &projection);
  for (const char* field : fields) BSON_APPEND_INT32(&projection, field, 1);
  bson_append_document_end(to, &projection);
}

}  // namespace

bson_document match_all() {
  return builder{}.bytes();
}

bson_document collection_options() {
  builder made;
  project(made.get(), {"key", "unique", "uuid", "lastmodEpoch", "timestamp", "dropped",
                       "defaultCollation", "unsplittable", "timeseriesFields"});
  BSON_APPEND_INT32(made.get(), "batchSize", batch);
  return made.bytes();
}

bson_document view_options() {
  builder made;
  bson_t filter;
  BSON_APPEND_DOCUMENT_BEGIN(made.get(), "filter", &filter);
  BSON_APPEND_UTF8(&filter, "type", "view");
  bson_append_document_end(made.get(), &filter);
  return made.bytes();
}

bson_document chunk_options() {
  builder made;
  project(made.get(), {"ns", "uuid", "lastmodEpoch", "lastmod", "min", "max", "shard"});
  bson_t sort;
  BSON_APPEND_DOCUMENT_BEGIN(made.get(), "sort", &sort);
  BSON_APPEND_INT32(&sort, "lastmod", 1);
  bson_append_document_end(made.get(), &sort);
  BSON_APPEND_INT32(made.get(), "batchSize", batch);
  return made.bytes();
}

bson_document chunk_filter(const routing::collection& of, const incarnation& is, bool by_uuid,
                           std::optional<chunk_version> from) {
  builder made;
  if (by_uuid) {
    BSON_APPEND_BINARY(made.get(), "uuid", BSON_SUBTYPE_UUID,
                       reinterpret_cast<const std::uint8_t*>(is.uuid.data()),
                       static_cast<std::uint32_t>(is.uuid.size()));
  } else {
    BSON_APPEND_UTF8(made.get(), "ns", of.full_name().c_str());
  }
  if (from) {
    bson_t least;
    BSON_APPEND_DOCUMENT_BEGIN(made.get(), "lastmod", &least);
    BSON_APPEND_TIMESTAMP(&least, "$gte", from->major, from->minor);
    bson_append_document_end(made.get(), &least);
  }
  return made.bytes();
}

}  // namespace scattergate::config
