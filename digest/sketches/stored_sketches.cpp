#include "digest/sketches/stored_sketches.hpp"

#include <span>

#include "digest/stored_fields.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

namespace scattergate::digest {
namespace {

using text::json_writer;

constexpr int correlation_digits = 4;

void append_content(json_writer& to, const collection_sketches::content& of) {
  to.number("requests", of.requests);
  to.number("pinned", of.pinned);
  to.text("distinct", of.values.distinct().text());
  to.number("total", of.values.commonest().total());
  to.array("commonest");
  for (const common_value& each : of.values.commonest().ranked()) {
    to.array();
    to.text(hex_text(each.hash_prefix, uint32_hex_digits));
    to.number(each.count);
    to.number(each.error);
    to.end();
  }
  to.end();
  const minute_shares minutes = of.values.minutes(0);
  to.array("minutes");
  to.number(minutes.requests);
  to.number(minutes.hottest);
  to.end();
  if (!of.order) return;
  std::string correlation;
  json_writer{correlation}.decimal(of.order->correlation, correlation_digits);
  to.array("order");
  to.number(of.order->values);
  to.text(correlation);
  to.flag(of.order->is_of_inserts);
  to.end();
}

void append_collection(std::string& text, const collection_sketches& of) {
  json_writer to{text};
  to.object();
  to.name("database");
  append_stored_text(to, of.database());
  to.name("collection");
  append_stored_text(to, of.collection());
  to.number("requests", of.requests());
  to.array("fields");
  for (const auto& each : of.fields()) {
    to.object();
    to.name("path");
    append_stored_text(to, each.path);
    append_content(to, each.of);
    to.end();
  }
  to.end();
  to.array("pairs");
  for (const auto& each : of.pairs()) {
    to.object();
    to.name("first");
    append_stored_text(to, each.first);
    to.name("second");
    append_stored_text(to, each.second);
    append_content(to, each.of);
    to.end();
  }
  to.end();
  to.end();
  text += '\n';
}

std::string end_of(std::string_view lines) {
  std::string text;
  json_writer to{text};
  to.object();
  to.flag("end", true);
  to.text("crc32c",
          hex_text(wire::crc32c(0, std::as_bytes(std::span{lines})), uint32_hex_digits));
  to.end();
  return text + '\n';
}

}  // namespace

std::string stored_sketches(const sketch_set& of) {
  std::string text;
  if (of.size() == 0) return text;
  json_writer head{text};
  head.object();
  head.text("type", "scattergate.sketches");
  head.number("schemaVersion", sketches_schema_version);
  head.text("salt", hex_text(of.salt_id(), salt_id_digits));
  head.number("collections", of.size());
  head.end();
  text += '\n';
  for (const collection_sketches* each : of.all()) append_collection(text, *each);
  return text + end_of(text);
}

}  // namespace scattergate::digest
