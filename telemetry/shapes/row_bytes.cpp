#include "telemetry/shapes/row_bytes.hpp"

#include <string>

#include "telemetry/history/shape_history.hpp"
#include "telemetry/shapes/shape_marks.hpp"

namespace scattergate::telemetry {
namespace {

/// The memory of a row beyond the object and its texts: its entries in the index, the marks and
/// the history, and malloc's overhead.
constexpr std::size_t place_bytes = 256 + sizeof(shape_marks) + 64 + shape_history::row_bytes;

std::size_t bytes_of(const std::string& text) noexcept {
  return sizeof text + text.size();
}

std::size_t bytes_of(const digest::description& what) noexcept {
  std::size_t bytes =
      what.shape_json.size() + what.shard_key_json.size() + what.suggestion.size();
  for (const auto* list : {&what.missing, &what.lints}) {
    for (const std::string& text : *list) bytes += bytes_of(text);
  }
  return bytes;
}

}  // namespace

std::size_t bytes_of(const digest::row& row) noexcept {
  return place_bytes + sizeof row + row.database.size() + row.collection.size() +
         row.command.size() + row.query_shape_hash.size() + bytes_of(row.what) +
         row.who.bytes() + row.times.bytes() + row.fanouts.bytes() + row.run.bytes();
}

std::size_t growth_by(const shape_delta& delta, bool is_new) noexcept {
  const shape_details& details = *delta.details;
  const std::size_t texts = details.query_shape_hash.size() + bytes_of(details.what) +
                            delta.who.bytes() + delta.times.bytes();
  if (!is_new) return texts;
  const digest::row_key key = details.row_key();
  return place_bytes + sizeof(digest::row) + key.database.size() + key.collection.size() +
         key.command.size() + texts;
}

}  // namespace scattergate::telemetry
