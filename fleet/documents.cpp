#include "fleet/documents.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "digest/row_fields.hpp"
#include "digest/stored.hpp"
#include "digest/stored_fields.hpp"
#include "fleet/bson_parts.hpp"
#include "fleet/stable_hash.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "text/percent.hpp"
#include "wire/bson_writer.hpp"

// read_shape() and read_caller() convert a document to a line of a stored
// digest (JSON), and pass it to that format's reader, which validates every member.

namespace scattergate::fleet {
namespace {

namespace as = digest::as;

using digest::merged;
using digest::row;
using std::chrono::nanoseconds;
using text::json_writer;
using wire::bson_writer;
using wire::document_view;

/// The texts that a document of a caller has: not the test, which doesn't distinguish callers.
constexpr std::span distinguishing{digest::caller_fields.data(),
                                   digest::distinguishing_caller_fields};

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
/// and closes it in the destructor. Each append function writes a type of a row's field; those
/// for numbers and times omit zeros and empty values.
class optional_part {
 public:
  optional_part(bson_writer& to, std::string name) : to_(to), name_(std::move(name)) {}
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
  void append(as::text, std::string_view name, std::string_view text) {
    append_exact(open(), name, text);
  }
  void append(as::query_hash, std::string_view name, std::string_view hash) {
    if (!hash.empty()) open().text(name, hash);
  }
  void append(as::hash, std::string_view name, std::uint64_t hash) {
    open().text(name, routing::shape_hash_text(hash));
  }
  template <typename Enum>
  void append(as::label, std::string_view name, Enum value) {
    open().text(name, label(value));
  }
  void append(as::texts, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    open().open_array(name);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      append_exact(to_, std::to_string(i), texts[i]);
    }
    to_.close();
  }
  void append(as::index, std::string_view name, const std::optional<std::uint32_t>& index) {
    if (index) open().int64(name, *index);
  }
  void append(as::count, std::string_view name, std::uint64_t count) {
    if (count != 0) open().int64(name, signed_of(count));
  }
  void append(as::nanos, std::string_view name, nanoseconds duration) {
    if (duration.count() > 0) open().int64(name, duration.count());
  }
  void append(as::time, std::string_view name, const std::optional<digest::wall_time>& at) {
    if (at) open().int64(name, nanoseconds{at->time_since_epoch()}.count());
  }
  template <typename ByRouting>
  void append(as::by_routing, const std::string& name, const ByRouting& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      append(as::count{},
             name + "." + std::string{label(static_cast<routing::routing_class>(i))},
             counts[i]);
    }
  }
  void append(as::shards, const std::string& name, const digest::shard_requests& of) {
    append(as::count{}, name + ".commands", of.commands);
    append(as::count{}, name + ".asked", of.asked);
    append(as::count{}, name + ".wasted", of.wasted);
  }
  void append(as::histogram, const std::string& name, const digest::time_histogram& of) {
    const auto& buckets = of.bucket_counts();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      append(as::count{}, name + ".t" + std::to_string(i), buckets[i]);
    }
  }

 private:
  bson_writer& to_;
  std::string name_;
  bool is_open_ = false;
};

/// Appends the fields of a row that merge by one of these rules.
void append_merged(optional_part& to, const row& of, std::initializer_list<merged> rules) {
  digest::each_field<digest::in_fleet>([&](const auto& field) {
    if (std::ranges::find(rules, field.how) == rules.end()) return;
    to.append(field.as, std::string{field.names.stored}, field.in(of));
  });
}

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

/// Sets the description for its routing class. The document keeps one for each class, because
/// an update can't compare two; the reader chooses the worst.
void append_description(optional_part& set, const row& of) {
  if (of.what == digest::description{}) return;
  optional_part what{set.open(), "what." + std::string{label(of.what.routing)}};
  append_merged(what, of, {merged::described});
}

/// Appends the operators that insert a document's key and add a row's counts. `apart`: of the
/// document of the commands without a row, which has no key; null: a row's own document.
void append_update(bson_writer& to, const row& of, const flush_place& at,
                   const rowless_counts* apart) {
  {
    optional_part inserted{to, "$setOnInsert"};
    inserted.open().int32("schemaVersion", schema_version);
    if (apart == nullptr) append_merged(inserted, of, {merged::as_key});
  }
  {
    optional_part set{to, "$set"};
    append_description(set, of);
    append_merged(set, of, {merged::first});
    append_mark(set, at);
  }
  {
    optional_part inc{to, "$inc"};
    append_merged(inc, of, {merged::summed});
    if (apart != nullptr) inc.append(as::count{}, "evictedRows", apart->evicted_rows);
  }
  {
    optional_part max{to, "$max"};
    max.append(as::count{}, "shardRequests.most", of.shards.most);
    append_merged(max, of, {merged::greatest});
    if (apart != nullptr) max.append(as::count{}, "countErrorBound", apart->error_bound);
  }
  {
    optional_part min{to, "$min"};
    append_merged(min, of, {merged::least});
  }
  append_server_time(to, "writtenAt");
}

/// The sums of commands without a row, as those of a row.
row as_row(const digest::totals& of) {
  row made;
  made.count = of.commands;
  made.errors = of.errors;
  made.by_routing = of.by_routing;
  made.shards = of.shards;
  made.first_seen = of.from;
  made.last_seen = of.to;
  return made;
}

std::string caller_name(const caller_counts& of) {
  if (of.is_others) return "others";
  stable_hash hash;
  for (const auto& field : distinguishing) hash.add(of.who.*field.text);
  return routing::shape_hash_text(hash.value());
}

void append_caller_update(bson_writer& to, const caller_counts& of, const flush_place& at) {
  {
    optional_part inserted{to, "$setOnInsert"};
    inserted.open().int32("schemaVersion", schema_version);
    append_merged(inserted, *of.row, {merged::as_key});
    to.text("sidecar", at.uuid);
    if (of.is_others) to.boolean("other", true);
    for (const auto& field : distinguishing) {
      if (!of.is_others) append_exact(to, field.name, of.who.*field.text);
    }
  }
  {
    optional_part set{to, "$set"};
    append_date(set.open(), "expiresAt", at.keep_until);
    append_mark(set, at);
  }
  {
    optional_part inc{to, "$inc"};
    inc.append(as::count{}, "count", of.who.count);
  }
  append_server_time(to, "writtenAt");
}

}  // namespace

config::mongo_result<void> write_facts(database& to, const std::string& uuid,
                                       const std::string& token, const sidecar_facts& facts) {
  wire::bson_writer update;
  update.open_document("q");
  update.text("_id", uuid);
  update.close();
  update.open_document("u");
  update.open_document("$setOnInsert");
  update.int32("schemaVersion", schema_version);
  update.close();
  update.open_document("$set");
  update.text("token", token);
  append_exact(update, "name", facts.name);
  update.text("version", facts.version);
  append_exact(update, "catalog", facts.catalog);
  update.text("rules", facts.rules);
  update.int64("skewMillis", facts.skew.count());
  update.int64("lagMillis", facts.lag.count());
  update.int64("waiting", static_cast<std::int64_t>(facts.waiting));
  update.int64("dropped", static_cast<std::int64_t>(facts.dropped));
  append_exact(update, "nameHeldBy", facts.name_holder);
  append_date(update, "expiresAt", facts.expires_at);
  update.close();
  append_server_time(update, "seenAt");
  update.close();
  update.boolean("upsert", true);
  const auto done = to.update(collections::sidecars, {update.take()});
  if (!done) return done.error();
  if (done->failed.empty()) return {};
  return error_of(done->failed.front());
}

sidecar_status read_sidecar(wire::document_view stored) {
  sidecar_status made;
  made.uuid = short_text_in(stored, "_id");
  made.name = short_text_in(stored, "name");
  made.version = short_text_in(stored, "version");
  made.catalog = short_text_in(stored, "catalog");
  made.rules = short_text_in(stored, "rules");
  made.skew = std::chrono::milliseconds{signed_in(stored, "skewMillis").value_or(0)};
  made.lag = std::chrono::milliseconds{signed_in(stored, "lagMillis").value_or(0)};
  made.waiting = number_in(stored, "waiting");
  made.dropped = number_in(stored, "dropped");
  made.name_holder = short_text_in(stored, "nameHeldBy");
  made.seen_at = date_in(stored, "seenAt");
  made.flushed_at = date_in(stored, "flushedAt");
  made.flushes = number_in(document_in(stored, "lastFlush"), "number");
  return made;
}

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
                   [&](bson_writer& to) { append_update(to, of, at, nullptr); });
}

std::vector<std::byte> rowless_statement(const rowless_counts& of, const flush_place& at,
                                         when_missing missing) {
  return statement({shape_id(rowless_shape, at.n), std::string{rowless_shape}, at.n}, at,
                   missing,
                   [&](bson_writer& to) { append_update(to, as_row(of.sums), at, &of); });
}

std::vector<std::byte> caller_statement(const caller_counts& of, const flush_place& at,
                                        when_missing missing) {
  const std::string shape = shape_name(of.row->key());
  return statement({shape_id(shape, at.n) + ":" + at.uuid + ":" + caller_name(of), shape, at.n},
                   at, missing, [&](bson_writer& to) { append_caller_update(to, of, at); });
}

namespace {

/// Copies fields of a document to a stored digest's line: one function for each type.
class field_copier {
 public:
  field_copier(json_writer& to, document_view from) noexcept : to_(to), from_(from) {}

  void copy(as::text, std::string_view name) const {
    const std::string text = text_in(from_, name);
    if (text.empty()) return;
    to_.name(name);
    digest::append_stored_text(to_, text);
  }
  void copy(as::hash, std::string_view name) const { to_.text(name, text_in(from_, name)); }
  void copy(as::label, std::string_view name) const { copy(as::text{}, name); }
  void copy(as::texts, std::string_view name) const {
    to_.array(name);
    for (const std::string& one : texts_in(from_, name)) digest::append_stored_text(to_, one);
    to_.end();
  }
  void copy(as::count, std::string_view name) const {
    to_.number(name, number_in(from_, name));
  }
  void copy(as::nanos, std::string_view name) const { copy(as::count{}, name); }
  void copy(as::index, std::string_view name) const {
    if (const auto number = signed_in(from_, name)) to_.number(name, *number);
  }
  void copy(as::time, std::string_view name) const { copy(as::index{}, name); }
  void copy(as::by_routing, std::string_view name) const {
    const document_view all = document_in(from_, name);
    to_.object(name);
    wire::document_reader reader{all};
    for (wire::element one; reader.next(one);) {
      to_.number(one.key(), number_in(all, one.key()));
    }
    to_.end();
  }
  void copy(as::shards, std::string_view name) const {
    const document_view all = document_in(from_, name);
    to_.object(name);
    for (const char* const each : {"commands", "asked", "wasted", "most"}) {
      to_.number(each, number_in(all, each));
    }
    to_.end();
  }
  void copy(as::histogram, std::string_view name) const {
    const document_view all = document_in(from_, name);
    to_.array(name);
    for (std::size_t i = 0; i < digest::time_histogram::bucket_count; ++i) {
      const std::uint64_t count = number_in(all, "t" + std::to_string(i));
      if (count == 0) continue;
      to_.array();
      to_.number(i);
      to_.number(count);
      to_.end();
    }
    to_.end();
  }

 private:
  json_writer& to_;
  document_view from_;
};

/// Copies the fields of a document whose rule for merging satisfies `is_copied`.
void copy_fields(json_writer& to, document_view from, bool (*is_copied)(merged)) {
  const field_copier fields{to, from};
  digest::each_field<digest::in_fleet>([&](const auto& field) {
    if (is_copied(field.how)) fields.copy(field.as, field.names.stored);
  });
}

bool is_key(merged how) noexcept {
  return how == merged::as_key;
}

bool is_described(merged how) noexcept {
  return how == merged::described;
}

bool is_counted(merged how) noexcept {
  return !is_key(how) && !is_described(how) && how != merged::worst;
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
    return copy_fields(to, *what, is_described);
  }
  to.text("routing", label(routing::routing_class::unknown));
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
  if (is_rowless) {
    to.text("shapeHash", routing::shape_hash_text(0));
  } else {
    copy_fields(to, document, is_key);
  }
  copy_description(to, document);
  copy_fields(to, document, is_counted);
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
  copy_fields(to, document, is_key);
  to.text("routing", label(routing::routing_class::unknown));
  const auto other = wire::find_field(document, "other");
  if (other && other->is_truthy()) {
    to.number("otherCallers", number_in(document, "count"));
  } else {
    to.array("callers");
    to.object();
    const field_copier fields{to, document};
    for (const auto& field : distinguishing) fields.copy(as::text{}, field.name);
    fields.copy(as::count{}, "count");
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
