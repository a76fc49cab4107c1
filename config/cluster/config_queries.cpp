#include "config/cluster/config_queries.hpp"

#include <string>

#include <bson/bson.h>

namespace scattergate::config {
namespace {

constexpr std::int32_t batch = 5'000;

/// Builds a document with libbson and returns its bytes.
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

void append_name(bson_t* to, const char* field, const routing::collection& of,
                 const incarnation& is, bool by_uuid) {
  if (by_uuid) {
    BSON_APPEND_BINARY(to, field, BSON_SUBTYPE_UUID,
                       reinterpret_cast<const std::uint8_t*>(is.uuid.data()),
                       static_cast<std::uint32_t>(is.uuid.size()));
  } else {
    BSON_APPEND_UTF8(to, field, of.full_name().c_str());
  }
}

const char* name_field(bool by_uuid) noexcept {
  return by_uuid ? "uuid" : "ns";
}

void append_from(bson_t* to, chunk_version from) {
  bson_t least;
  BSON_APPEND_DOCUMENT_BEGIN(to, "lastmod", &least);
  BSON_APPEND_TIMESTAMP(&least, "$gte", from.major, from.minor);
  bson_append_document_end(to, &least);
}

void project(bson_t* to, std::initializer_list<const char*> fields) {
  bson_t projection;
  BSON_APPEND_DOCUMENT_BEGIN(to, "projection", &projection);
  for (const char* field : fields) BSON_APPEND_INT32(&projection, field, 1);
  bson_append_document_end(to, &projection);
}

void project_chunk(bson_t* to) {
  project(to, {"ns", "uuid", "lastmodEpoch", "lastmod", "min", "max", "shard"});
}

}  // namespace

wire::document_view view_of(const bson_document& bytes) noexcept {
  return wire::document_view::from(bytes).value_or(wire::document_view{});
}

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
  project_chunk(made.get());
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
  append_name(made.get(), name_field(by_uuid), of, is, by_uuid);
  if (from) append_from(made.get(), *from);
  return made.bytes();
}

bson_document newer_filter(std::span<const chunk_request> requested, bool by_uuid) {
  builder made;
  bson_t branches;
  BSON_APPEND_ARRAY_BEGIN(made.get(), "$or", &branches);
  for (std::size_t i = 0; i < requested.size(); ++i) {
    bson_t branch;
    BSON_APPEND_DOCUMENT_BEGIN(&branches, std::to_string(i).c_str(), &branch);
    append_name(&branch, name_field(by_uuid), *requested[i].of, *requested[i].is, by_uuid);
    append_from(&branch, requested[i].from);
    bson_append_document_end(&branches, &branch);
  }
  bson_append_array_end(made.get(), &branches);
  return made.bytes();
}

bson_document newer_options(bool by_uuid) {
  builder made;
  bson_t projection;
  BSON_APPEND_DOCUMENT_BEGIN(made.get(), "projection", &projection);
  BSON_APPEND_INT32(&projection, "_id", 0);
  BSON_APPEND_INT32(&projection, name_field(by_uuid), 1);
  BSON_APPEND_INT32(&projection, "lastmod", 1);
  bson_append_document_end(made.get(), &projection);
  BSON_APPEND_INT32(made.get(), "batchSize", batch);
  return made.bytes();
}

bson_document chunks_filter(std::span<const chunk_request> requested, bool by_uuid) {
  builder made;
  bson_t any;
  bson_t names;
  BSON_APPEND_DOCUMENT_BEGIN(made.get(), name_field(by_uuid), &any);
  BSON_APPEND_ARRAY_BEGIN(&any, "$in", &names);
  for (std::size_t i = 0; i < requested.size(); ++i) {
    append_name(&names, std::to_string(i).c_str(), *requested[i].of, *requested[i].is, by_uuid);
  }
  bson_append_array_end(&any, &names);
  bson_append_document_end(made.get(), &any);
  return made.bytes();
}

bson_document chunks_options(bool by_uuid) {
  builder made;
  project_chunk(made.get());
  bson_t sort;
  BSON_APPEND_DOCUMENT_BEGIN(made.get(), "sort", &sort);
  BSON_APPEND_INT32(&sort, name_field(by_uuid), 1);
  BSON_APPEND_INT32(&sort, "lastmod", 1);
  bson_append_document_end(made.get(), &sort);
  BSON_APPEND_INT32(made.get(), "batchSize", batch);
  return made.bytes();
}

}  // namespace scattergate::config
