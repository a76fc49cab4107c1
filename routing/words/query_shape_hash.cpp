#include "routing/words/query_shape_hash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/sha.h>

#include "routing/command_kind.hpp"
#include "wire/bson.hpp"
#include "wire/bson_writer.hpp"
#include "wire/endian.hpp"
#include "wire/limits.hpp"

// SHA-256 over the command's name, a word of flags, the namespace, and the documents min, max,
// sort, collation, let, filter and projection (mongo: query_shape/find_cmd_shape.cpp,
// sha256Hash).

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::bson_writer;
using wire::element;

constexpr std::array<std::string_view, 5> operators = {"$eq", "$gt", "$gte", "$lt", "$lte"};

/// Filters with more comparisons get no hash, because hashing them is expensive and a user
/// rarely needs it.
constexpr std::size_t most_comparisons = 64;

struct comparison {
  std::string_view path;
  std::string_view how;
  bson_type with{};
};
using comparisons = std::vector<comparison>;

bool is_value(const element& given) {
  switch (given.type()) {
    case bson_type::string:
    case bson_type::boolean:
    case bson_type::date:
    case bson_type::object_id:
      return true;
    default:
      return given.is_number();
  }
}

bool add(comparison one, comparisons& to) {
  to.push_back(one);
  return to.size() <= most_comparisons;
}

/// Reads {$gte: 1, $lt: 9}.
bool read_operators(std::string_view path, wire::document_view given, comparisons& to) {
  if (given.is_empty()) return false;
  wire::document_reader reader{given};
  for (element one; reader.next(one);) {
    const bool is_known =
        std::find(operators.begin(), operators.end(), one.key()) != operators.end();
    if (!is_known || !is_value(one) || !add({path, one.key(), one.type()}, to)) return false;
  }
  return !reader.is_corrupt();
}

/// Whether a path may occur in a command for which scattergate computes a queryShapeHash: it
/// isn't empty, doesn't begin with `$`, and has at most 255 bytes.
bool is_plain_path(std::string_view path) noexcept {
  constexpr std::size_t longest = 255;  // longer ones get no hash: too expensive
  return !path.empty() && path.front() != '$' && path.size() <= longest;
}

bool read_field(const element& field, comparisons& to) {
  if (!is_plain_path(field.key())) return false;
  if (const auto document = field.as_document()) {
    return read_operators(field.key(), *document, to);
  }
  return is_value(field) && add({field.key(), "$eq", field.type()}, to);
}

bool read_fields(wire::document_view filter, comparisons& to) {
  wire::document_reader reader{filter};
  for (element field; reader.next(field);) {
    if (!read_field(field, to)) return false;
  }
  return !reader.is_corrupt();
}

/// Reads {$and: [...]} with at least two members of one comparison each.
bool read_and(const element& given, comparisons& to) {
  const auto parts = given.as_array();
  if (!parts) return false;
  wire::document_reader reader{*parts};
  std::size_t number = 0;
  for (element part; reader.next(part);) {
    const auto document = part.as_document();
    if (!document || !read_fields(*document, to) || to.size() != ++number) return false;
  }
  return !reader.is_corrupt() && number >= 2;
}

/// Writes the value that stands for all values of its type (mongo: serialization_options.cpp).
void write_value(const comparison& of, bson_writer& to) {
  static constexpr std::array<std::byte, 8> epoch{};
  static constexpr auto greatest_id = [] {
    std::array<std::byte, 12> id{};
    id.fill(std::byte{0xFF});
    return id;
  }();
  switch (of.with) {
    case bson_type::string:
      return to.text(of.how, "?");
    case bson_type::boolean:
      return to.boolean(of.how, true);
    case bson_type::date:
      return to.raw(of.how, bson_type::date, epoch);
    case bson_type::object_id:
      return to.raw(of.how, bson_type::object_id, greatest_id);
    default:
      return to.int32(of.how, 1);
  }
}

void write(const comparison& one, bson_writer& to) {
  to.open_document(one.path);
  write_value(one, to);
  to.close();
}

std::vector<std::byte> written(const comparisons& all) {
  bson_writer to;
  if (all.size() == 1) write(all.front(), to);
  if (all.size() > 1) {
    to.open_array("$and");
    for (std::size_t i = 0; i < all.size(); ++i) {
      to.open_document(std::to_string(i));
      write(all[i], to);
      to.close();
    }
    to.close();
  }
  return to.take();
}

/// Whether the filter is `_id` alone: MongoDB handles such finds separately.
bool is_by_id(const comparisons& all) {
  return all.size() == 1 && all.front().path == "_id" && all.front().how == "$eq";
}

/// Converts a find's filter to the document that MongoDB hashes for a queryShapeHash. Every
/// comparison has its operator ({a: 1} becomes {a: {$eq: 1}}), every value is replaced by a
/// fixed one of its type, and several comparisons are in an `$and`, in their original order.
/// std::nullopt if the result isn't certain (query_shape_hash.hpp), or for more than 64
/// comparisons.
std::optional<std::vector<std::byte>> shape_of_filter(const element& given) {
  const auto filter = given.as_document();
  if (!filter) return std::nullopt;
  comparisons all;
  element first;
  element second;
  wire::document_reader reader{*filter};
  const bool is_and = reader.next(first) && first.key() == "$and" && !reader.next(second);
  const bool is_certain = is_and ? read_and(first, all) : read_fields(*filter, all);
  if (!is_certain || is_by_id(all)) return std::nullopt;
  return written(all);
}

using bytes = std::vector<std::byte>;

/// The versions whose servers were verified to print these hashes.
constexpr server_version first_version{8, 0};
constexpr server_version last_version{9, 0};

/// Larger shapes get no hash.
constexpr std::size_t most_fields = 64;

// The word of flags, from its lowest bit: a namespace rather than a UUID, skip, limit, then two
// bits each for oplogReplay up to singleBatch, where 11 is true (mongo:
// optionalArgumentsEncoding).
constexpr std::uint32_t has_namespace = 1U;
constexpr std::uint32_t has_skip = 1U << 1U;
constexpr std::uint32_t has_limit = 1U << 2U;
constexpr std::uint32_t is_disk_used = 3U << 15U;
constexpr std::uint32_t is_single_batch = 3U << 17U;

/// Arguments that don't affect the hash.
constexpr std::array<std::string_view, 19> no_part = {"find",
                                                      "$db",
                                                      "lsid",
                                                      "hint",
                                                      "comment",
                                                      "batchSize",
                                                      "maxTimeMS",
                                                      "readConcern",
                                                      "$readPreference",
                                                      "txnNumber",
                                                      "autocommit",
                                                      "startTransaction",
                                                      "apiVersion",
                                                      "$clusterTime",
                                                      "noCursorTimeout",
                                                      "apiStrict",
                                                      "$audit",
                                                      "apiDeprecationErrors",
                                                      "allowPartialResults"};

/// The parts of a find's shape, from its arguments.
struct find_shape {
  std::uint32_t flags = has_namespace;
  bytes filter = bson_writer{}.take();
  bytes sort = bson_writer{}.take();
  bytes projection = bson_writer{}.take();
};

/// Reads {a: 1, b: -1}; fails for any other sort.
bool read_sort(const element& given, bytes& to) {
  const auto document = given.as_document();
  if (!document) return false;
  bson_writer writer;
  std::size_t fields = 0;
  wire::document_reader reader{*document};
  for (element field; reader.next(field);) {
    const auto direction = field.is_number() ? field.as_int64() : std::nullopt;
    const bool is_known = direction && (*direction == 1 || *direction == -1);
    if (!is_known || !is_plain_path(field.key()) || ++fields > most_fields) return false;
    writer.int32(field.key(), static_cast<std::int32_t>(*direction));
  }
  to = writer.take();
  return !reader.is_corrupt();
}

/// Reads included top-level fields, and an excluded `_id`. Fails for other projections: servers
/// were seen to rewrite or drop them.
bool read_projection(const element& given, bytes& to) {
  const auto document = given.as_document();
  if (!document) return false;
  bson_writer writer;
  std::size_t fields = 0;
  bool is_without_id = false;
  wire::document_reader reader{*document};
  for (element field; reader.next(field);) {
    const bool is_flag =
        field.type() == wire::bson_type::boolean || field.as_int64().has_value();
    const bool is_id = field.key() == "_id";
    const bool is_top_level = field.key().find('.') == std::string_view::npos;
    if (!is_flag || !is_top_level || !is_plain_path(field.key())) return false;
    if (field.is_truthy() == is_id || ++fields > most_fields) return false;
    is_without_id = is_without_id || is_id;
    writer.boolean(field.key(), field.is_truthy());
  }
  if (reader.is_corrupt() || (fields != 0 && (!is_without_id || fields == 1))) return false;
  to = writer.take();
  return true;
}

/// Reads a number above zero; fails for zero, whose meaning varies.
bool read_count(const element& given, std::uint32_t flag, find_shape& to) {
  const auto count = given.is_number() ? given.as_int64() : std::nullopt;
  to.flags |= flag;
  return count && *count > 0;
}

bool read_flag(const element& given, std::uint32_t flag, find_shape& to) {
  to.flags |= flag;
  return given.type() == wire::bson_type::boolean && given.is_truthy();
}

bool read_argument(const element& given, find_shape& to) {
  const std::string_view name = given.key();
  if (name == "filter") {
    auto filter = shape_of_filter(given);
    if (filter) to.filter = std::move(*filter);
    return filter.has_value();
  }
  if (name == "sort") return read_sort(given, to.sort);
  if (name == "projection") return read_projection(given, to.projection);
  if (name == "limit") return read_count(given, has_limit, to);
  if (name == "skip") return read_count(given, has_skip, to);
  if (name == "singleBatch") return read_flag(given, is_single_batch, to);
  if (name == "allowDiskUse") return read_flag(given, is_disk_used, to);
  return std::find(no_part.begin(), no_part.end(), name) != no_part.end();
}

std::string hash_of(const find_shape& shape, const wire::command& command) {
  std::string text = "find";
  std::array<std::byte, 4> flags{};
  wire::store_little(flags.data(), shape.flags);
  const auto add = [&text](std::span<const std::byte> more) {
    text.append(reinterpret_cast<const char*>(more.data()), more.size());
  };
  const bytes none = bson_writer{}.take();
  add(flags);
  text += command.ns().full_name();
  for (const bytes* part :
       {&none, &none, &shape.sort, &none, &none, &shape.filter, &shape.projection}) {
    add(*part);
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string hash;
  for (const unsigned char byte : digest) {
    hash += digits[byte >> 4U];
    hash += digits[byte & 15U];
  }
  return hash;
}

/// On a view, a find becomes an aggregation; on a time series, a different one.
bool is_a_collection(const wire::command& command, const catalog& entries) {
  const collection* const known = entries.find(command.database, command.collection);
  return known == nullptr ||
         !(known->is_view() || known->is_time_series || known->is_unreadable);
}

}  // namespace

bool has_query_shape_hashes(const catalog& entries) noexcept {
  const auto version = entries.stated_version();
  return version && *version >= first_version && version->series() <= last_version;
}

std::string query_shape_hash(const wire::command& command, const catalog& entries) {
  if (!has_query_shape_hashes(entries)) return {};
  if (!facts_of(kind_of(command.name)).has_query_shape || command.database.empty() ||
      command.collection.empty() ||
      command.database.size() + command.collection.size() > wire::limits::max_namespace_bytes ||
      command.sequences.begin() != command.sequences.end() ||
      !is_a_collection(command, entries)) {
    return {};
  }
  find_shape shape;
  wire::document_reader reader{command.body};
  for (element argument; reader.next(argument);) {
    if (!read_argument(argument, shape)) return {};
  }
  return reader.is_corrupt() ? std::string{} : hash_of(shape, command);
}

}  // namespace scattergate::routing
