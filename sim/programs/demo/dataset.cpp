#include "sim/programs/demo/dataset.hpp"

#include <algorithm>
#include <span>

#include "sim/values/hashing.hpp"

namespace scattergate::sim::demo {
namespace {

constexpr std::size_t project_count = 24;
constexpr std::size_t document_count = 600;
constexpr std::size_t client_count = 400;
constexpr std::size_t revision_count = 120;

std::vector<entity> make_entities(dice& dice, const std::vector<project>& projects,
                                  std::size_t count, const std::string& prefix) {
  std::vector<entity> out;
  for (std::size_t i = 0; i < count; ++i) {
    const object_id in = projects[dice.skewed_below(projects.size())].id;
    out.push_back({in, dice.id(), prefix + std::to_string(i)});
  }
  return out;
}

template <typename T, typename Make>
void insert_all(client& cluster, const char* collection, const std::vector<T>& from,
                Make make) {
  const date now{now_millis()};
  array documents;
  for (const T& each : from) documents.emplace_back(make(each, now));
  cluster.insert(collection, std::move(documents));
}

document project_document(const project& each, date now) {
  return {{"_id", each.id},
          {"name", std::string_view{each.public_key}},
          {"owner", owner_name},
          {"public_key", std::string_view{each.public_key}},
          {"created_at", now}};
}

document schema_document(const project& each, date now) {
  return {{"_id", object_id_from("schema of " + each.public_key)},
          {"project_id", each.id},
          {"name", "note"},
          {"version", std::int32_t{1}},
          {"body", "type Document = { title: string; };"},
          {"created_at", now}};
}

document document_document(const entity& each, date now) {
  return {{"_id", each.id},
          {"project_id", each.project},
          {"key", std::string_view{each.key}},
          {"server_seq", std::int64_t{0}},
          {"created_at", now},
          {"updated_at", now}};
}

document client_document(const entity& each, date now) {
  return {{"_id", each.id},
          {"project_id", each.project},
          {"key", std::string_view{each.key}},
          {"status", "activated"},
          {"documents", document{}},
          {"attached_docs", array{}},
          {"updated_at", now}};
}

document revision_document(const revision& each, date now) {
  return {{"_id", each.id},
          {"project_id", each.project},
          {"doc_id", each.document},
          {"label", "before the review"},
          {"snapshot", binary{0, "{\"title\": \"Minutes\"}"}},
          {"created_at", now}};
}

}  // namespace

object_id dice::id() {
  object_id out;
  for (std::uint8_t& byte : out.bytes) byte = static_cast<std::uint8_t>(below(256));
  return out;
}

dataset make_dataset(std::uint64_t seed) {
  dice dice{seed};
  dataset out;
  for (std::size_t i = 0; i < project_count; ++i) {
    out.projects.push_back({dice.id(), "public-key-" + std::to_string(i)});
  }
  out.documents = make_entities(dice, out.projects, document_count, "document-");
  out.clients = make_entities(dice, out.projects, client_count, "client-");
  for (std::size_t i = 0; i < revision_count; ++i) {
    const entity& of = out.documents[dice.below(out.documents.size())];
    out.revisions.push_back({of.project, of.id, dice.id()});
  }
  return out;
}

void shard_collections(client& cluster) {
  const document by_project{{"project_id", std::int32_t{1}}};
  const document by_document{{"doc_id", "hashed"}};
  const std::pair<const char*, document> keys[] = {
      {"clients", {{"project_id", std::int32_t{1}}, {"_id", "hashed"}}},
      {"documents", by_project},
      {"schemas", by_project},
      {"changes", by_document},
      {"snapshots", by_document},
      {"versionvectors", by_document},
      {"revisions", by_document},
  };
  cluster.run_on_admin({{"enableSharding", database_name}});
  for (const auto& [name, key] : keys) {
    cluster.run_on_admin(
        {{"shardCollection", std::string{database_name} + "." + name}, {"key", key}});
  }
}

void check_ownership(client& cluster) {
  const document foreign{{"owner", document{{"$ne", owner_name}}}};
  if (!cluster.find("projects", foreign, limit_one()).empty()) {
    throw driver_error(std::string{database_name} +
                       " has projects of others, so it is left unchanged");
  }
}

void seed(client& cluster, const dataset& data) {
  if (!cluster.find("projects", {{"_id", data.projects.back().id}}, limit_one()).empty())
    return;
  cluster.insert("users", {document{{"_id", object_id_from(owner_name)},
                                    {"username", owner_name},
                                    {"created_at", date{now_millis()}}}});
  insert_all(cluster, "schemas", data.projects, schema_document);
  insert_all(cluster, "documents", data.documents, document_document);
  insert_all(cluster, "clients", data.clients, client_document);
  insert_all(cluster, "revisions", data.revisions, revision_document);
  // Last, so that existing projects show that all data exists.
  insert_all(cluster, "projects", data.projects, project_document);
}

}  // namespace scattergate::sim::demo
