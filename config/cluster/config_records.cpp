#include "config/cluster/config_records.hpp"

#include <algorithm>
#include <charconv>

#include "routing/catalog/catalog_rules.hpp"
#include "routing/catalog/collation.hpp"
#include "wire/endian.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::config {
namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

constexpr std::size_t object_id_bytes = 12;
constexpr std::size_t uuid_bytes = 16;

/// The prefix of collections that resharding and moveCollection fill before they replace the
/// original.
constexpr std::string_view temporary_prefix = "system.resharding.";

std::span<const std::byte> object_id_of(const element& field) {
  const bool is_id = field.type() == bson_type::object_id;
  if (!is_id || field.value().size() != object_id_bytes) return {};
  const bool is_zero =
      std::ranges::all_of(field.value(), [](std::byte byte) { return byte == std::byte{0}; });
  return is_zero ? std::span<const std::byte>{} : field.value();
}

/// The 16 bytes of a UUID, of either subtype.
std::span<const std::byte> uuid_of(const element& field) {
  constexpr std::size_t head = 5;  // int32 length, subtype
  if (field.type() != bson_type::binary || field.value().size() != head + uuid_bytes) return {};
  const auto subtype = std::to_integer<int>(field.value()[head - 1]);
  if (subtype != 3 && subtype != 4) return {};
  return field.value().subspan(head);
}

std::optional<std::uint64_t> timestamp_of(const element& field) {
  if (field.type() != bson_type::timestamp) return std::nullopt;
  if (field.value().size() != sizeof(std::uint64_t)) return std::nullopt;
  return wire::load_little<std::uint64_t>(field.value().data());
}

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Whether a field of a key pattern is "hashed"; false if it is 1 (of any numeric BSON type);
/// std::nullopt if it is neither.
std::optional<bool> is_hashed(const element& field) {
  if (field.as_int64() == 1) return false;
  if (field.is_string() && field.as_string() == "hashed") return true;
  return std::nullopt;
}

bool read_key(const element& field, routing::collection& to) {
  const auto pattern = field.as_document();
  if (!pattern) return false;
  wire::document_reader reader{*pattern};
  for (element part; reader.next(part);) {
    const auto hashed = is_hashed(part);
    if (!hashed) return false;
    to.key.push_back({std::string{part.key()}, *hashed});
  }
  return !reader.is_corrupt() && !to.key.empty();
}

/// Reads a collation; false if it is invalid. The simple collation counts as none, as in
/// catalog files.
bool read_collation(const element& field, routing::collection& to) {
  const auto spec = field.as_document();
  if (!spec) return false;
  if (spec->is_empty() || routing::collation_of(*spec).is_simple()) return true;
  to.simple_collation = false;
  to.default_collation = copy_of(spec->bytes());
  return true;
}

/// The span of a granularity (mongo: getMaxSpanSecondsFromGranularity).
std::int64_t span_of(std::string_view granularity) noexcept {
  constexpr std::int64_t hour = 3600;
  if (granularity == "minutes") return 24 * hour;
  return granularity == "hours" ? 30 * 24 * hour : hour;
}

/// Reads {timeField, metaField, granularity, bucketMaxSpanSeconds, bucketRoundingSeconds}. A
/// missing granularity means `seconds`. std::nullopt if a value is invalid.
std::optional<routing::time_series> read_series(document_view fields) {
  const auto text = [&](std::string_view name) {
    const auto found = wire::find_field(fields, name);
    return found && found->is_string() ? std::string{found->as_string()} : std::string{};
  };
  const auto number = [&](std::string_view name, std::int64_t otherwise) {
    const auto found = wire::find_field(fields, name);
    return found ? found->as_int64().value_or(0) : otherwise;
  };
  routing::time_series made;
  made.time_field = text("timeField");
  made.meta_field = text("metaField");
  made.max_span_seconds = number("bucketMaxSpanSeconds", span_of(text("granularity")));
  made.rounding_seconds =
      number("bucketRoundingSeconds", routing::time_series::rounding_of(made.max_span_seconds));
  const bool is_good = !made.time_field.empty() && made.max_span_seconds > 0 &&
                       made.max_span_seconds <= routing::time_series::longest_span &&
                       made.rounding_seconds > 0;
  return is_good ? std::optional{std::move(made)} : std::nullopt;
}

/// The fields of a config.collections record as they are read.
struct draft {
  collection_record record;
  bool has_key = false;
  bool has_collation = true;  // false: it has one that is unreadable
  bool is_dropped = false;
  bool is_unsplittable = false;
  bool is_corrupt = false;
};

void read_field(const element& field, draft& to) {
  const std::string_view name = field.key();
  routing::collection& made = to.record.made;
  if (name == "_id") {
    const auto ns = wire::namespace_view::of(field.as_string());
    if (!field.is_string() || !ns) return;
    made.database = ns->database;
    made.name = ns->collection;
  } else if (name == "key") {
    to.has_key = read_key(field, made);
  } else if (name == "unique") {
    made.unique = field.is_truthy();
  } else if (name == "defaultCollation") {
    to.has_collation = read_collation(field, made);
  } else if (name == "uuid") {
    to.record.is.uuid = copy_of(uuid_of(field));
  } else if (name == "lastmodEpoch") {
    to.record.is.epoch = copy_of(object_id_of(field));
  } else if (name == "timestamp") {
    to.record.is.at = timestamp_of(field);
  } else if (name == "dropped") {
    to.is_dropped = field.is_truthy();
  } else if (name == "unsplittable") {
    to.is_unsplittable = field.is_truthy();
  } else if (name == "timeseriesFields") {
    made.is_time_series = field.is_document();
    if (const auto fields = field.as_document()) made.series = read_series(*fields);
  }
}

/// What makes the record unreadable; empty if nothing does.
std::string reason_of(const draft& from) {
  if (from.is_corrupt) return "its record is broken BSON";
  if (!from.has_key) return "its key isn't a document of fields that are 1 or hashed";
  if (!from.has_collation) return "its defaultCollation isn't a document";
  return routing::problem_of(from.record.made).value_or("");
}

/// Sets the record's kind, and why it is unreadable.
void settle_kind(draft& of) {
  using kind = collection_record::kind;
  collection_record& record = of.record;
  routing::collection name_only;
  name_only.database = record.made.database;
  name_only.name = record.made.name;
  if (name_only.database.empty() || name_only.name.empty()) {
    record.why = "a record's _id isn't database.collection";
  } else if (of.is_dropped || name_only.name.starts_with(temporary_prefix)) {
    record.what = kind::skipped;
  } else if (const auto wrong = routing::problem_of(name_only)) {
    record.why = name_only.full_name() + ": " + *wrong;
  } else if (of.is_unsplittable) {
    record.what = kind::unsharded;
    record.made.key.clear();
    record.made.is_time_series = false;
    record.made.series.reset();
  } else {
    record.why = reason_of(of);
    record.what = record.why.empty() ? kind::sharded : kind::unreadable;
  }
}

/// Reads a field that says which collection a chunk belongs to, or its version.
void read_head_field(const element& field, chunk_record& to) {
  const std::string_view name = field.key();
  if (name == "ns") {
    if (field.is_string()) to.name_space = field.as_string();
  } else if (name == "uuid") {
    to.uuid = uuid_of(field);
  } else if (name == "lastmodEpoch") {
    to.epoch = object_id_of(field);
  } else if (name == "lastmod") {
    if (const auto at = timestamp_of(field)) {
      to.version = chunk_version{static_cast<std::uint32_t>(*at >> 32U),
                                 static_cast<std::uint32_t>(*at)};
    }
  }
}

std::string_view text_of(document_view record, std::string_view name) {
  const auto field = wire::find_field(record, name);
  return field && field->is_string() ? field->as_string() : std::string_view{};
}

}  // namespace

collection_record read_collection(document_view record) {
  draft reading;
  wire::document_reader reader{record};
  for (element field; reader.next(field);) read_field(field, reading);
  reading.is_corrupt = reader.is_corrupt();
  // No cluster has a unique hashed key: drop `unique`, the collection is still sharded by that
  // key.
  auto& made = reading.record.made;
  made.unique = made.unique && std::ranges::none_of(made.key, &routing::key_field::hashed);
  // The key doesn't consist of the buckets' fields: treat the series as unknown.
  if (made.series && routing::problem_of(made)) made.series.reset();
  settle_kind(reading);
  return std::move(reading.record);
}

namespace {

/// Reads {viewOn, pipeline, collation}. Returns why the options are unreadable; empty on
/// success.
std::string read_view_options(document_view options, routing::collection& to) {
  to.view_on = text_of(options, "viewOn");
  if (!to.is_view()) return "its viewOn isn't a name";
  const auto pipeline = wire::find_field(options, "pipeline");
  const auto stages = pipeline ? pipeline->as_array() : std::nullopt;
  if (!stages) return "its pipeline isn't a list of stages";
  to.view_pipeline = copy_of(stages->bytes());
  const auto collation = wire::find_field(options, "collation");
  if (collation && !read_collation(*collation, to)) return "its collation isn't a document";
  return routing::problem_of(to).value_or("");
}

}  // namespace

std::optional<view_record> read_view(std::string_view database, document_view listed) {
  view_record made;
  made.made.database = database;
  made.made.name = text_of(listed, "name");
  // A name with * or ? is no pattern.
  made.made.use = std::make_shared<routing::use_mark>();
  if (text_of(listed, "type") != "view" || made.made.name.empty()) return std::nullopt;
  const auto options = wire::find_field(listed, "options");
  const auto inside = options ? options->as_document() : std::nullopt;
  made.why = inside ? read_view_options(*inside, made.made) : "it has no options";
  return made;
}

bool chunk_record::is_of(const routing::collection& of, const incarnation& is) const {
  if (!uuid.empty() && !is.uuid.empty()) return std::ranges::equal(uuid, is.uuid);
  if (name_space.empty() || name_space != of.full_name()) return false;
  return epoch.empty() || is.epoch.empty() || std::ranges::equal(epoch, is.epoch);
}

chunk_record read_chunk_head(document_view record) {
  chunk_record made;
  wire::document_reader reader{record};
  for (element field; reader.next(field);) read_head_field(field, made);
  return made;
}

std::optional<chunk_record> read_chunk(document_view record) {
  chunk_record made;
  bool has_min = false;
  bool has_max = false;
  wire::document_reader reader{record};
  for (element field; reader.next(field);) {
    const std::string_view name = field.key();
    if (name == "min" || name == "max") {
      const auto bound = field.as_document();
      if (!bound) return std::nullopt;
      (name == "min" ? made.min : made.max) = *bound;
      (name == "min" ? has_min : has_max) = true;
    } else if (name == "shard") {
      if (field.is_string()) made.shard = field.as_string();
    } else {
      read_head_field(field, made);
    }
  }
  const bool is_whole = has_min && has_max && !made.shard.empty();
  if (reader.is_corrupt() || !is_whole) return std::nullopt;
  return made;
}

std::optional<shard_record> read_shard(document_view record) {
  shard_record made{std::string{text_of(record, "_id")}, std::string{text_of(record, "host")}};
  if (const auto draining = wire::find_field(record, "draining")) {
    made.is_draining = draining->is_truthy();
  }
  if (made.id.empty()) return std::nullopt;
  return made;
}

std::optional<database_record> read_database(document_view record) {
  database_record made{std::string{text_of(record, "_id")},
                       std::string{text_of(record, "primary")}};
  if (made.name.empty()) return std::nullopt;
  return made;
}

std::vector<std::byte> read_cluster_id(document_view record) {
  const auto field = wire::find_field(record, "clusterId");
  return field ? copy_of(object_id_of(*field)) : std::vector<std::byte>{};
}

std::optional<routing::server_version> parse_server_version(std::string_view text) {
  routing::server_version made{0, 0};
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, made.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, made.minor);
  if (minor.ec != std::errc{}) return std::nullopt;
  std::uint16_t patch = 0;
  const bool has_patch = minor.ptr != end && *minor.ptr == '.';
  if (has_patch && std::from_chars(minor.ptr + 1, end, patch).ec == std::errc{}) {
    made.patch = patch;
  }
  return made;
}

routing::server_version version_of_wire(std::int64_t max_wire_version) noexcept {
  struct step {
    std::int64_t wire;
    routing::server_version server;
  };
  constexpr std::array<step, 7> steps = {{{25, {8, 0}},
                                          {21, {7, 0}},
                                          {17, {6, 0}},
                                          {13, {5, 0}},
                                          {9, {4, 4}},
                                          {8, {4, 2}},
                                          {7, {4, 0}}}};
  for (const step& one : steps) {
    if (max_wire_version >= one.wire) return one.server;
  }
  return {3, 6};
}

}  // namespace scattergate::config
