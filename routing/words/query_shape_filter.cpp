#include "routing/words/query_shape_filter.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "wire/bson_writer.hpp"

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

}  // namespace

bool is_plain_path(std::string_view path) noexcept {
  constexpr std::size_t longest = 255;  // longer ones get no hash: too expensive
  return !path.empty() && path.front() != '$' && path.size() <= longest;
}

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

}  // namespace scattergate::routing
