#include "app/index_source.hpp"

#include "app/json_list.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "config/text/text_readers.hpp"
#include "wire/bson_writer.hpp"
#include "wire/namespace_view.hpp"
#include "wire/server_error.hpp"

namespace scattergate::app {
namespace {

constexpr std::size_t most_bytes = 16UL << 20;

advise::index index_of(wire::document_view document) {
  return {{document.bytes().begin(), document.bytes().end()}};
}

/// Adds the indexes of a list under `name_space` or, if that is empty, under each index's `ns`.
void add_list(wire::document_view list, const std::string& name_space,
              advise::known_indexes& to) {
  wire::document_reader reader{list};
  for (wire::element member; reader.next(member);) {
    const auto one = member.as_document();
    if (!one) continue;
    const auto ns = wire::find_field(*one, "ns");
    const std::string own{ns ? ns->as_string() : std::string_view{}};
    const std::string& name = name_space.empty() ? own : name_space;
    if (!name.empty()) to[name].push_back(index_of(*one));
  }
}

text::result<config::bson_bytes> bson_of_text(const std::string& text) {
  auto tree = config::parse_json(text);
  if (!tree) tree = config::parse_yaml(text);
  if (!tree)
    return text::failure("line " + std::to_string(tree.error().line) + ": " +
                         tree.error().what);
  const bool is_good = !tree->is_empty() && !tree->root().is_scalar();
  if (!is_good) return text::failure("expected indexes by namespace");
  auto made = config::bson_of(tree->root());
  if (!made) return text::failure(made.error().what);
  return *std::move(made);
}

/// The indexes of one collection; none if it doesn't exist.
text::result<advise::known_indexes> ask_one(config::mongo_client& mongos,
                                            wire::namespace_view name) {
  wire::bson_writer command;
  command.text("listIndexes", name.collection);
  command.open_document("cursor");
  command.int32("batchSize", 1000);  // a collection has at most 64
  command.close();
  const auto bytes = command.take();
  const auto reply = mongos.run(name.database, *wire::document_view::from(bytes));
  if (!reply) {
    const bool is_absent =
        reply.error().code == static_cast<int>(wire::server_errc::namespace_not_found);
    if (is_absent) return advise::known_indexes{};
    return text::problem{name.full_name(), "its indexes can't be read: " + reply.error().text};
  }
  const auto body = wire::document_view::from(*reply);
  const auto cursor = body ? wire::find_field(*body, "cursor") : std::nullopt;
  const auto inside = cursor ? cursor->as_document() : std::nullopt;
  const auto batch = inside ? wire::find_field(*inside, "firstBatch") : std::nullopt;
  const auto list = batch ? batch->as_array() : std::nullopt;
  advise::known_indexes made;
  made[name.full_name()];
  if (list) add_list(*list, name.full_name(), made);
  return made;
}

}  // namespace

text::result<advise::known_indexes> read_indexes(const std::string& path) {
  const auto text = config::read_file(path, most_bytes);
  if (!text) return text.error();
  const auto bson = bson_of_text(*text);
  if (!bson) return text::problem{path, bson.error().what};
  advise::known_indexes made;
  if (is_json_list(*text)) {
    add_list(bson->view(), {}, made);
  } else {
    wire::document_reader reader{bson->view()};
    for (wire::element field; reader.next(field);) {
      const std::string name{field.key()};
      const auto list = field.as_array();
      if (!list || !wire::namespace_view::of(name)) {
        return text::problem{path, "expected a list of indexes for each namespace"};
      }
      made[name];
      add_list(*list, name, made);
    }
  }
  if (made.empty()) return text::problem{path, "it has no indexes, or none with a namespace"};
  return made;
}

cluster_indexes read_cluster_indexes(const std::string& uri,
                                     const std::vector<std::string>& name_spaces) {
  cluster_indexes made;
  auto mongos = config::mongo_client::open(uri, {"scattergate-advise"});
  if (!mongos) {
    made.problems.push_back(text::failure(mongos.error().text));
    return made;
  }
  for (const std::string& each : name_spaces) {
    const auto name = wire::namespace_view::of(each);
    if (!name) continue;
    auto found = ask_one(**mongos, *name);
    if (found) {
      made.found.merge(*found);
    } else {
      made.problems.push_back(found.error());
    }
  }
  return made;
}

}  // namespace scattergate::app
