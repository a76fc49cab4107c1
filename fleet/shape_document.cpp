#include "fleet/shape_document.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "digest/stored_fields.hpp"
#include "digest/stored_row.hpp"
#include "fleet/bson_parts.hpp"
#include "fleet/names.hpp"
#include "fleet/stable_hash.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "text/percent.hpp"
#include "wire/bson_writer.hpp"

// Implements read_shape() and read_caller(). They convert a document to a line of a stored
// digest (JSON), and pass it to that format's reader, which validates every member.

namespace scattergate::fleet {
namespace {

using digest::row;
using std::chrono::nanoseconds;
using wire::bson_writer;

/// Encodes a database's name for a shape's name. Encodes dots, too: the first dot in a shape's
/// name separates the database from the collection.
std::string encoded_database(std::string_view name) {
  std::string encoded = text::percent_encoded(name);
  for (std::size_t dot = 0; (dot = encoded.find('.', dot)) != encoded.npos;) {
    encoded.replace(dot, 1, "%2E");
  }
  return encoded;
}

std::int64_t signed_of(std::uint64_t count) noexcept {
  constexpr std::uint64_t most = 1'000'000'000'000'000;  // read_shape() rejects larger counts
  return static_cast<std::int64_t>(std::min(count, most));
}

/// Writes a nested document, or nothing if it has no members: opens it with its first member,
/// and closes it in the destructor. The append functions omit zeros and empty values.
class optional_part {
 public:
  optional_part(bson_writer& to, std::string_view name) : to_(to), name_(name) {}
  ~optional_part() {
    if (is_open_) to_.close();
  }
  optional_part(const optional_part&) = delete;
  optional_part& operator=(const optional_part&) = delete;

  bson_writer& open() {
    if (!is_open_) to_.open_document(name_);
    is_open_ = true;
    return to_;
  }
  void number(std::string_view name, std::uint64_t count) {
    if (count != 0) open().int64(name, signed_of(count));
  }
  void time(std::string_view name, const std::optional<digest::wall_time>& at) {
    if (at) open().int64(name, nanoseconds{at->time_since_epoch()}.count());
  }
  void nanos(std::string_view name, nanoseconds duration) {
    if (duration.count() > 0) open().int64(name, duration.count());
  }

 private:
  bson_writer& to_;
  std::string_view name_;
  bool is_open_ = false;
};

std::string mark_path(const flush_place& at, std::string_view member) {
  return "marks." + at.uuid + "." + std::string{member};
}

/// Identifies the document to update.
struct document_key {
  std::string id;
  std::string shape;
  std::uint32_t n = 0;
};

/// Builds a statement of an update command; `write_update` appends the update operators. With
/// marks, the filter doesn't match a document that already has this flush's mark.
template <typename Write>
std::vector<std::byte> statement(const document_key& key, const flush_place& at,
                                 when_missing missing, const Write& write_update) {
  bson_writer to;
  to.open_document("q");
  to.text("_id", key.id);
  to.text("shape", key.shape);
  to.int32("n", static_cast<std::int32_t>(key.n));
  if (at.has_marks) {
    to.open_document(mark_path(at, "flush"));
    to.open_document("$not");
    to.int64("$gte", static_cast<std::int64_t>(at.flush));
    to.close();
    to.close();
  }
  to.close();
  to.open_document("u");
  write_update(to);
  to.close();
  to.boolean("upsert", missing == when_missing::create);
  return to.take();
}

/// Sets this flush's mark, if documents have marks.
void append_mark(optional_part& set, const flush_place& at) {
  if (!at.has_marks) return;
  set.open().int64(mark_path(at, "flush"), static_cast<std::int64_t>(at.flush));
  append_date(set.open(), mark_path(at, "expiresAt"), at.keep_until);
}

void append_key(bson_writer& to, const row& of) {
  append_exact(to, "database", of.database);
  append_exact(to, "collection", of.collection);
  append_exact(to, "command", of.command);
  to.text("shapeHash", routing::shape_hash_text(of.shape_hash));
}

void append_texts(bson_writer& to, std::string_view name,
                  const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  to.open_array(name);
  for (std::size_t i = 0; i < texts.size(); ++i) append_exact(to, std::to_string(i), texts[i]);
  to.close();
}

/// Sets the description for its routing class. The document keeps one for each class, because
/// an update can't compare two; the reader chooses the worst.
void append_description(optional_part& set, const digest::description& of) {
  if (of == digest::description{}) return;
  const std::string path = "what." + std::string{label(of.routing)};
  bson_writer& to = set.open();
  to.open_document(path);
  to.text("bounds", label(of.bounds));
  to.text("reason", label(of.why));
  append_exact(to, "shape", of.shape_json);
  append_exact(to, "shardKey", of.shard_key_json);
  append_texts(to, "missing", of.missing);
  append_texts(to, "lints", of.lints);
  append_exact(to, "suggestion", of.suggestion);
  if (of.statement) to.int64("statement", *of.statement);
  to.close();
}

template <typename ByRouting>
void append_classes(optional_part& inc, const ByRouting& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto name = label(static_cast<routing::routing_class>(i));
    inc.number("byRouting." + std::string{name}, counts[i]);
  }
}

void append_shards(optional_part& inc, const digest::shard_requests& of) {
  inc.number("shardRequests.commands", of.commands);
  inc.number("shardRequests.asked", of.asked);
  inc.number("shardRequests.wasted", of.wasted);
}

void append_times(optional_part& inc, const row& of) {
  inc.nanos("totalNanos", of.total);
  const auto& buckets = of.times.bucket_counts();
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    inc.number("times.t" + std::to_string(i), buckets[i]);
  }
}

void append_row_update(bson_writer& to, const row& of, const flush_place& at) {
  to.open_document("$setOnInsert");
  to.int32("schemaVersion", schema_version);
  append_key(to, of);
  to.close();
  {
    optional_part set{to, "$set"};
    append_description(set, of.what);
    if (!of.query_shape_hash.empty()) set.open().text("queryShapeHash", of.query_shape_hash);
    append_mark(set, at);
  }
  {
    optional_part inc{to, "$inc"};
    inc.number("count", of.count);
    inc.number("errors", of.errors);
    inc.number("countErrorBound", of.error_bound);
    append_classes(inc, of.by_routing);
    append_shards(inc, of.shards);
    append_times(inc, of);
  }
  {
    optional_part max{to, "$max"};
    max.number("shardRequests.most", of.shards.most);
    max.nanos("longestNanos", of.longest);
    max.time("lastSeenNanos", of.last_seen);
  }
  {
    optional_part min{to, "$min"};
    min.time("firstSeenNanos", of.first_seen);
  }
  append_server_time(to, "writtenAt");
}

void append_rowless_update(bson_writer& to, const rowless_counts& of, const flush_place& at) {
  to.open_document("$setOnInsert");
  to.int32("schemaVersion", schema_version);
  to.close();
  {
    optional_part set{to, "$set"};
    append_mark(set, at);
  }
  {
    optional_part inc{to, "$inc"};
    inc.number("count", of.sums.commands);
    inc.number("errors", of.sums.errors);
    inc.number("evictedRows", of.evicted_rows);
    append_classes(inc, of.sums.by_routing);
    append_shards(inc, of.sums.shards);
  }
  {
    optional_part max{to, "$max"};
    max.number("shardRequests.most", of.sums.shards.most);
    max.number("countErrorBound", of.error_bound);
    max.time("lastSeenNanos", of.sums.to);
  }
  {
    optional_part min{to, "$min"};
    min.time("firstSeenNanos", of.sums.from);
  }
  append_server_time(to, "writtenAt");
}

std::string caller_name(const caller_counts& of) {
  if (of.is_others) return "others";
  stable_hash hash;
  for (const std::string* text :
       {&of.who.app_name, &of.who.driver, &of.who.user, &of.who.remote, &of.who.comment}) {
    hash.add(*text);
  }
  return routing::shape_hash_text(hash.value());
}

void append_caller_update(bson_writer& to, const caller_counts& of, const flush_place& at) {
  to.open_document("$setOnInsert");
  to.int32("schemaVersion", schema_version);
  append_key(to, *of.row);
  to.text("sidecar", at.uuid);
  if (of.is_others) {
    to.boolean("other", true);
  } else {
    append_exact(to, "appName", of.who.app_name);
    append_exact(to, "driver", of.who.driver);
    append_exact(to, "user", of.who.user);
    append_exact(to, "remote", of.who.remote);
    append_exact(to, "comment", of.who.comment);
  }
  to.close();
  {
    optional_part set{to, "$set"};
    append_date(set.open(), "expiresAt", at.keep_until);
    append_mark(set, at);
  }
  {
    optional_part inc{to, "$inc"};
    inc.number("count", of.who.count);
  }
  append_server_time(to, "writtenAt");
}

}  // namespace

std::string shape_name(const digest::row_key& key) {
  return encoded_database(key.database) + "." + text::percent_encoded(key.collection) + " " +
         text::percent_encoded(key.command) + " " + routing::shape_hash_text(key.shape_hash);
}

std::string shape_id(std::string_view shape, std::uint32_t n) {
  return std::string{shape} + ":" + std::to_string(n);
}

std::vector<std::byte> shape_statement(const digest::row& of, const flush_place& at,
                                       when_missing missing) {
  const std::string shape = shape_name(of.key());
  return statement({shape_id(shape, at.n), shape, at.n}, at, missing,
                   [&](bson_writer& to) { append_row_update(to, of, at); });
}

std::vector<std::byte> rowless_statement(const rowless_counts& of, const flush_place& at,
                                         when_missing missing) {
  return statement({shape_id(rowless_shape, at.n), std::string{rowless_shape}, at.n}, at,
                   missing, [&](bson_writer& to) { append_rowless_update(to, of, at); });
}

std::vector<std::byte> caller_statement(const caller_counts& of, const flush_place& at,
                                        when_missing missing) {
  const std::string shape = shape_name(of.row->key());
  return statement({shape_id(shape, at.n) + ":" + at.uuid + ":" + caller_name(of), shape, at.n},
                   at, missing, [&](bson_writer& to) { append_caller_update(to, of, at); });
}

namespace {

using text::json_writer;
using wire::document_view;

void copy_text(json_writer& to, document_view from, std::string_view name) {
  const std::string text = text_in(from, name);
  if (text.empty()) return;
  to.name(name);
  digest::append_stored_text(to, text);
}

void copy_texts(json_writer& to, document_view from, std::string_view name) {
  to.array(name);
  for (const std::string& one : texts_in(from, name)) digest::append_stored_text(to, one);
  to.end();
}

void copy_number(json_writer& to, document_view from, std::string_view name) {
  to.number(name, number_in(from, name));
}

void copy_time(json_writer& to, document_view from, std::string_view name) {
  if (const auto nanos = signed_in(from, name)) to.number(name, *nanos);
}

/// Copies the description of the worst routing class that has one. If none has, sets the
/// routing class to `unknown`.
void copy_description(json_writer& to, document_view from) {
  const document_view all = document_in(from, "what");
  for (std::size_t i = routing::routing_class_count; i-- > 0;) {
    const auto name = label(static_cast<routing::routing_class>(i));
    const auto found = wire::find_field(all, name);
    const auto what = found ? found->as_document() : std::nullopt;
    if (!what) continue;
    to.text("routing", name);
    copy_text(to, *what, "bounds");
    copy_text(to, *what, "reason");
    copy_text(to, *what, "shape");
    copy_text(to, *what, "shardKey");
    copy_texts(to, *what, "missing");
    copy_texts(to, *what, "lints");
    copy_text(to, *what, "suggestion");
    if (const auto at = signed_in(*what, "statement")) to.number("statement", *at);
    return;
  }
  to.text("routing", label(routing::routing_class::unknown));
}

void copy_classes(json_writer& to, document_view from) {
  const document_view all = document_in(from, "byRouting");
  to.object("byRouting");
  wire::document_reader reader{all};
  for (wire::element one; reader.next(one);) copy_number(to, all, one.key());
  to.end();
}

void copy_shards(json_writer& to, document_view from) {
  const document_view all = document_in(from, "shardRequests");
  to.object("shardRequests");
  for (const char* const name : {"commands", "asked", "wasted", "most"}) {
    copy_number(to, all, name);
  }
  to.end();
}

void copy_times(json_writer& to, document_view from) {
  copy_number(to, from, "totalNanos");
  copy_number(to, from, "longestNanos");
  const document_view all = document_in(from, "times");
  to.array("times");
  for (std::size_t i = 0; i < digest::time_histogram::bucket_count; ++i) {
    const std::uint64_t count = number_in(all, "t" + std::to_string(i));
    if (count == 0) continue;
    to.array();
    to.number(i);
    to.number(count);
    to.end();
  }
  to.end();
}

void copy_key(json_writer& to, document_view from, bool is_rowless) {
  copy_text(to, from, "database");
  copy_text(to, from, "collection");
  copy_text(to, from, "command");
  to.text("shapeHash", is_rowless ? "0000000000000000" : text_in(from, "shapeHash"));
}

bool is_newer(document_view document) {
  return number_in(document, "schemaVersion") > schema_version;
}

text::problem newer_version() {
  return text::failure("written by a newer version of scattergate");
}

text::problem too_large() {
  return text::failure("larger than any document of a sidecar");
}

/// Parses a stored digest's line; a problem if it is invalid, or longer than the format allows.
text::result<digest::row> row_in(const std::string& line) {
  if (line.size() > digest::max_stored_row_bytes) return too_large();
  return digest::stored_row(line);
}

}  // namespace

text::result<shape_document> read_shape(document_view document) {
  if (is_newer(document)) return newer_version();
  const bool is_rowless = text_in(document, "shape") == rowless_shape;
  std::string line;
  json_writer to{line};
  to.object();
  copy_key(to, document, is_rowless);
  copy_text(to, document, "queryShapeHash");
  copy_description(to, document);
  copy_number(to, document, "count");
  copy_number(to, document, "errors");
  copy_number(to, document, "countErrorBound");
  copy_classes(to, document);
  copy_shards(to, document);
  copy_times(to, document);
  copy_time(to, document, "firstSeenNanos");
  copy_time(to, document, "lastSeenNanos");
  to.end();
  auto read = row_in(line);
  if (!read) return read.error();
  shape_document made{.row = *std::move(read), .is_rowless = is_rowless};
  if (is_rowless) {
    made.evicted_rows = number_in(document, "evictedRows");
    made.error_bound = std::exchange(made.row.error_bound, 0);
  }
  return made;
}

text::result<caller_document> read_caller(document_view document) {
  if (is_newer(document)) return newer_version();
  std::string line;
  json_writer to{line};
  to.object();
  copy_key(to, document, false);
  to.text("routing", label(routing::routing_class::unknown));
  const auto other = wire::find_field(document, "other");
  if (other && other->is_truthy()) {
    to.number("otherCallers", number_in(document, "count"));
  } else {
    to.array("callers");
    to.object();
    for (const char* const name : {"appName", "driver", "user", "remote", "comment"}) {
      copy_text(to, document, name);
    }
    copy_number(to, document, "count");
    to.end();
    to.end();
  }
  to.end();
  auto read = row_in(line);
  if (!read) return read.error();
  std::string sidecar = text_in(document, "sidecar");
  constexpr std::size_t longest_uuid = 64;  // a uuid has 36 bytes
  if (sidecar.size() > longest_uuid) return too_large();
  return caller_document{*std::move(read), std::move(sidecar)};
}

}  // namespace scattergate::fleet
