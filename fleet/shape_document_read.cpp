// Implements read_shape() and read_caller(). They convert a document to a line of a stored
// digest (JSON), and pass it to that format's reader, which validates every member.

#include <utility>

#include "digest/stored_fields.hpp"
#include "digest/stored_row.hpp"
#include "fleet/bson_parts.hpp"
#include "fleet/names.hpp"
#include "fleet/shape_document.hpp"
#include "text/json_writer.hpp"

namespace scattergate::fleet {
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
