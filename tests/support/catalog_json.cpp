#include <stdexcept>

#include "tests/routing/judging_support.hpp"

namespace scattergate::routing_tests {
namespace {

using routing::catalog_builder;
using tests::json_document;
using wire::document_view;
using wire::element;

/// A document put together field by field.
class built_document {
 public:
  void append(std::string_view name, const element& value) {
    std::string bytes(1, static_cast<char>(value.type()));
    bytes.append(name).push_back('\0');
    bytes.append(reinterpret_cast<const char*>(value.value().data()), value.value().size());
    fields_ += bytes;
  }
  void append_end_of_range(std::string_view name, bool is_max) {
    fields_.push_back(is_max ? '\x7f' : '\xff');
    fields_.append(name).push_back('\0');
  }
  [[nodiscard]] document_view view() {
    const auto size = static_cast<std::uint32_t>(fields_.size() + 5);
    whole_.assign(reinterpret_cast<const char*>(&size), sizeof size);
    whole_ += fields_;
    whole_.push_back('\0');
    return document_view::from(std::as_bytes(std::span{whole_})).value();
  }

 private:
  std::string fields_;
  std::string whole_;
};

void check(const std::optional<std::string>& problem) {
  if (problem) throw std::invalid_argument(*problem);
}

std::string text(const std::optional<element>& field) {
  return field ? std::string{field->as_string()} : std::string{};
}

routing::time_series series_from(document_view spec) {
  const auto seconds = wire::find_field(spec, "span")->as_int64().value();
  return {text(wire::find_field(spec, "time")), text(wire::find_field(spec, "meta")), seconds,
          routing::time_series::rounding_of(seconds)};
}

routing::collection collection_from(document_view spec) {
  routing::collection entry;
  const std::string ns = text(wire::find_field(spec, "ns"));
  const std::size_t dot = ns.find('.');
  entry.database = ns.substr(0, dot);
  entry.name = ns.substr(dot + 1);
  if (const auto key = wire::find_field(spec, "key")) {
    wire::document_reader reader{key->as_container().value()};
    for (element field; reader.next(field);) {
      if (field.is_string()) entry.hashed_field = static_cast<int>(entry.key.size());
      entry.key.push_back({std::string{field.key()}, field.is_string()});
    }
  }
  const auto flag = [&](std::string_view name) {
    const auto found = wire::find_field(spec, name);
    return found && found->is_truthy();
  };
  entry.unique = flag("unique");
  entry.is_time_series = flag("timeSeries");
  if (const auto series = wire::find_field(spec, "timeSeries");
      series && series->is_document()) {
    entry.series = series_from(series->as_document().value());
  }
  if (const auto collation = wire::find_field(spec, "collation")) {
    entry.simple_collation = false;
    entry.default_collation.assign(collation->value().begin(), collation->value().end());
  }
  entry.view_on = text(wire::find_field(spec, "viewOn"));
  if (const auto pipeline = wire::find_field(spec, "pipeline")) {
    entry.view_pipeline.assign(pipeline->value().begin(), pipeline->value().end());
  }
  return entry;
}

/// A chunk's bound: the split's values, the ends of the key space for the rest.
void fill(built_document& bound, const routing::collection& entry,
          const std::optional<element>& split, bool is_max) {
  for (const routing::key_field& field : entry.key) {
    const auto value =
        split ? wire::find_field(split->as_container().value(), field.path) : std::nullopt;
    if (value) {
      bound.append(field.path, *value);
    } else {
      bound.append_end_of_range(field.path, is_max);
    }
  }
}

void add_chunks(catalog_builder& builder, const routing::collection& entry,
                document_view spec) {
  const auto listed = wire::find_field(spec, "splits");
  if (!listed) return;
  const std::vector<element> splits = members(listed);
  const std::vector<element> owners = members(wire::find_field(spec, "shards"));
  for (std::size_t i = 0; i <= splits.size(); ++i) {
    built_document low;
    built_document high;
    fill(low, entry, i > 0 ? std::optional{splits[i - 1]} : std::nullopt, false);
    const bool is_last = i == splits.size();
    fill(high, entry, is_last ? std::nullopt : std::optional{splits[i]}, is_last);
    const std::string owner =
        owners.empty() ? std::to_string(i) : std::string{owners.at(i).as_string()};
    check(builder.add_chunk(low.view(), high.view(), owner));
  }
}

}  // namespace

std::vector<element> members(const std::optional<element>& list) {
  std::vector<element> found;
  if (!list || !list->is_array()) return found;
  wire::document_reader reader{list->as_array().value()};
  for (element member; reader.next(member);) found.push_back(member);
  return found;
}

std::shared_ptr<const routing::catalog> catalog_of(std::string_view json) {
  const json_document spec{json};
  catalog_builder builder;
  if (const std::string version = text(wire::find_field(spec.view(), "version"));
      !version.empty()) {
    const std::size_t dot = version.find('.');
    const std::size_t second = version.find('.', dot + 1);
    routing::server_version parsed{
        static_cast<std::uint16_t>(std::stoi(version.substr(0, dot))),
        static_cast<std::uint16_t>(std::stoi(version.substr(dot + 1)))};
    if (second != std::string::npos) parsed.patch = std::stoi(version.substr(second + 1));
    builder.set_version(parsed);
  }
  if (text(wire::find_field(spec.view(), "unlisted")) == "unknown") {
    builder.set_unlisted(routing::unlisted_policy::unknown);
  }
  for (const element& member : members(wire::find_field(spec.view(), "collections"))) {
    const document_view each = member.as_container().value();
    const routing::collection entry = collection_from(each);
    check(builder.add(entry));
    add_chunks(builder, entry, each);
    check(builder.finish_collection());
  }
  return builder.build();
}

std::shared_ptr<const routing::catalog> catalog_of(std::string_view key,
                                                   std::string_view splits,
                                                   std::string_view version) {
  std::string json = R"({"version": ")" + std::string{version} +
                     R"(", "collections": [{"ns": "db.c", "key": )" + std::string{key};
  if (!splits.empty()) json += R"(, "splits": )" + std::string{splits};
  return catalog_of(json + "}]}");
}

}  // namespace scattergate::routing_tests
