#include "config/cluster/cluster_text.hpp"

#include <algorithm>
#include <set>

#include <bson/bson.h>

#include "config/cluster/chunk_set.hpp"
#include "config/cluster/config_queries.hpp"
#include "config/cluster/config_records.hpp"
#include "config/text/extended_json.hpp"
#include "routing/catalog/catalog_rules.hpp"
#include "text/json_writer.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// Canonical Extended JSON, which keeps all types.
std::string json_of(document_view document) {
  bson_t borrowed;
  const bool is_good = bson_init_static(
      &borrowed, reinterpret_cast<const std::uint8_t*>(document.bytes().data()),
      document.size_bytes());
  char* text = is_good ? bson_as_canonical_extended_json(&borrowed, nullptr) : nullptr;
  std::string json = text != nullptr ? text : "{}";
  bson_free(text);
  text::escape_invisible_in_json(json);
  return json;
}

/// Canonical Extended JSON of an array, such as a view's stages.
std::string json_of_array(document_view members) {
  std::string json;
  wire::document_reader reader{members};
  for (wire::element member; reader.next(member);) {
    const auto stage = member.as_document();
    if (stage) json += (json.empty() ? "" : ", ") + json_of(*stage);
  }
  return "[" + json + "]";
}

/// A text in JSON's double quotes, which are also YAML's. YAML 1.1 ends lines, and so comments,
/// at U+0085, U+2028 and U+2029 too: they are escaped.
std::string yaml_quoted(const std::string& text) {
  bson_t document;
  bson_init(&document);
  BSON_APPEND_UTF8(&document, "v", text.c_str());
  char* json = bson_as_canonical_extended_json(&document, nullptr);
  bson_destroy(&document);
  if (json == nullptr) return "\"\"";  // not UTF-8: MongoDB has no such names
  std::string whole{json};
  bson_free(json);
  text::escape_invisible_in_json(whole);
  const std::size_t begin = whole.find(" : ") + 3;
  return whole.substr(begin, whole.rfind('"') + 1 - begin);
}

/// A chunk and its printed form.
struct shown_chunk {
  chunk_update update;
  std::string text;
};

/// Reads and prints one cluster.
class cluster_printer {
 public:
  explicit cluster_printer(mongo_reader& from) : from_(from) {}

  mongo_result<std::string> print() {
    const auto server = from_.connect();
    if (!server) return server.error();
    if (!server->is_mongos) {
      return mongo_error{mongo_failure::not_mongos, 0,
                         server->address + " is not a mongos but " + server->type};
    }
    print_head(*server);
    std::vector<collection_record> listed;
    const auto read = find("collections", match_all(), collection_options(), [&](auto record) {
      listed.push_back(read_collection(record));
      return true;
    });
    if (!read) return read.error();
    std::ranges::sort(listed, {}, [](const auto& one) { return one.made.full_name(); });
    std::string head = std::exchange(text_, {});
    for (const collection_record& one : listed) {
      if (const auto printed = print(one); !printed) return printed.error();
    }
    print_views(listed);
    return head + (text_.empty() ? "collections: []\n" : "collections:\n" + text_);
  }

 private:
  mongo_result<void> find(std::string_view collection, const bson_document& filter,
                          const bson_document& options,
                          const mongo_reader::document_sink& sink) {
    return from_.find("config", collection, view_of(filter), view_of(options), sink);
  }

  // If the user may not read one of these collections, only its lines are missing.
  void print_head(const mongo_server& server) {
    text_ = "# Read from the cluster behind " + server.address + ".\n";
    static_cast<void>(find("shards", match_all(), match_all(), [this](document_view record) {
      if (const auto shard = read_shard(record)) {
        text_ += "# shard " + yaml_quoted(shard->id) + " is " + yaml_quoted(shard->host) +
                 (shard->is_draining ? ", draining\n" : "\n");
      }
      return true;
    }));
    static_cast<void>(find("databases", match_all(), match_all(), [this](document_view record) {
      if (const auto database = read_database(record)) {
        text_ += "# database " + yaml_quoted(database->name) + " has the primary shard " +
                 yaml_quoted(database->primary) + "\n";
      }
      return true;
    }));
    auto version = version_of_wire(server.max_wire_version);
    const auto build = from_.run("admin", bson_of_json(R"({"buildInfo": 1})").value().view());
    const auto reported = build ? wire::find_field(view_of(*build), "version") : std::nullopt;
    if (reported) version = parse_server_version(reported->as_string()).value_or(version);
    text_ += "schemaVersion: 1\nversion: \"" + version.text() + "\"\nunlisted: unsharded\n";
  }

  mongo_result<void> print(const collection_record& one) {
    using kind = collection_record::kind;
    const routing::collection& made = one.made;
    if (one.what == kind::skipped) return {};
    if (one.what == kind::nameless) {
      text_ += "  # omitted: " + yaml_quoted(one.why) + "\n";
      return {};
    }
    text_ += "  - namespace: " + yaml_quoted(made.full_name()) + "\n";
    if (one.what == kind::unreadable) {
      text_ += "    shardKey: null  # unknown: " + yaml_quoted(one.why) + "\n";
      return {};
    }
    if (one.what == kind::unsharded) {
      text_ += "    unsplittable: true\n";
      return {};
    }
    std::string key;
    for (const routing::key_field& field : made.key) {
      key += (key.empty() ? "" : ", ") + yaml_quoted(field.path) +
             (field.hashed ? ": hashed" : ": 1");
    }
    text_ += "    shardKey: {" + key + "}\n";
    if (made.unique) text_ += "    unique: true\n";
    print_collation(made);
    print_series(made);
    return print_chunks(one);
  }

  /// Prints the views of databases with sharded collections.
  void print_views(const std::vector<collection_record>& listed) {
    std::set<std::string> databases;
    for (const collection_record& one : listed) {
      const bool may_matter = one.what == collection_record::kind::sharded ||
                              one.what == collection_record::kind::unreadable;
      if (may_matter) databases.insert(one.made.database);
    }
    databases.erase("config");
    const bson_document options = view_options();
    for (const std::string& database : databases) {
      const auto read = from_.list_collections(database, view_of(options), [&](auto record) {
        if (const auto view = read_view(database, record)) print(*view);
        return true;
      });
      if (!read) text_ += "  # the views of " + yaml_quoted(database) + " can't be listed\n";
    }
  }

  void print(const view_record& listed) {
    const routing::collection& view = listed.made;
    text_ += "  - namespace: " + yaml_quoted(view.full_name());
    if (!listed.why.empty()) {
      text_ += "\n    viewOn: null  # unknown: " + yaml_quoted(listed.why) + "\n";
      return;
    }
    text_ += "\n    viewOn: " + yaml_quoted(view.view_on) +
             "\n    pipeline: " + json_of_array(view_of(view.view_pipeline)) + "\n";
    print_collation(view);
  }

  void print_series(const routing::collection& of) {
    if (!of.is_time_series) return;
    if (!of.series) {
      text_ += "    timeseries: true\n";
      return;
    }
    text_ += "    timeseries: {timeField: " + yaml_quoted(of.series->time_field);
    if (!of.series->meta_field.empty()) {
      text_ += ", metaField: " + yaml_quoted(of.series->meta_field);
    }
    text_ += ", bucketMaxSpanSeconds: " + std::to_string(of.series->max_span_seconds) +
             ", bucketRoundingSeconds: " + std::to_string(of.series->rounding_seconds) + "}\n";
  }

  void print_collation(const routing::collection& of) {
    if (of.simple_collation) return;
    text_ += "    collation: " + json_of(of.default_collation_view()) + "\n";
  }

  mongo_result<void> print_chunks(const collection_record& of) {
    auto chunks = read_chunks(of, of.is.has_chunks_by_uuid());
    if (chunks && chunks->empty() && !of.is.uuid.empty()) {
      chunks = read_chunks(of, !of.is.has_chunks_by_uuid());
    }
    if (!chunks) return chunks.error();
    chunk_set set;
    std::vector<chunk_update> updates;
    for (const shown_chunk& one : *chunks) updates.push_back(one.update);
    set.merge(std::move(updates));
    if (!set.is_whole(of.made)) {
      text_ += "    # its chunks are omitted: they contradict each other\n";
      return {};
    }
    std::ranges::sort(*chunks, {}, [](const shown_chunk& one) { return one.update.min; });
    text_ += "    chunks:\n";
    for (const shown_chunk& one : *chunks) {
      if (set.has(one.update)) text_ += "      - " + one.text + "\n";
    }
    return {};
  }

  mongo_result<std::vector<shown_chunk>> read_chunks(const collection_record& of,
                                                     bool by_uuid) {
    std::vector<shown_chunk> found;
    const auto take = [&](document_view bytes) {
      const auto record = read_chunk(bytes);
      if (!record || !record->is_of(of.made, of.is)) return true;
      auto update = read_update(of.made, *record);
      if (!update) return true;
      std::string text = "{min: " + json_of(record->min) + ", max: " + json_of(record->max) +
                         ", shard: " + yaml_quoted(update->shard) + "}";
      found.push_back({*std::move(update), std::move(text)});
      return true;
    };
    const auto read = find("chunks", chunk_filter(of.made, of.is, by_uuid, std::nullopt),
                           chunk_options(), take);
    if (!read) return read.error();
    return found;
  }

  mongo_reader& from_;
  std::string text_;
};

}  // namespace

mongo_result<std::string> cluster_text(mongo_reader& from) {
  return cluster_printer{from}.print();
}

}  // namespace scattergate::config
