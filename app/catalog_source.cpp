#include "app/catalog_source.hpp"

#include <utility>

#include "config/cluster/cluster_mirror.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {
namespace {

/// Of all collections together; verify compares classes where chunks are not known.
constexpr std::size_t most_chunks = 1'000'000;

}  // namespace

/// What has been read of the cluster.
struct catalog_source::cluster {
  config::catalog_facts facts;
  config::cluster_mirror mirror{{.chunks = most_chunks}, facts};
  std::shared_ptr<const routing::catalog> catalog;
};

catalog_source::catalog_source(std::string source, std::string uri, std::string reader)
    : source_(std::move(source)), uri_(std::move(uri)), reader_(std::move(reader)) {}

catalog_source::~catalog_source() = default;

std::shared_ptr<const routing::catalog> catalog_source::load() {
  problems_.clear();
  if (source_ == config::catalog_options::mongos) return load_from_mongos();
  const config::loaded_catalog loaded = config::load_catalog(source_);
  for (const text::problem& one : loaded.problems) problems_.push_back(to_string(one));
  return problems_.empty() ? loaded.value : nullptr;
}

std::shared_ptr<const routing::catalog> catalog_source::load_newer() {
  return source_ == config::catalog_options::mongos ? load() : nullptr;
}

std::shared_ptr<const routing::catalog> catalog_source::load_from_mongos() {
  const bool is_first = cluster_ == nullptr;
  if (is_first) cluster_ = std::make_unique<cluster>();
  auto mongos = config::mongo_client::open(uri_, reader_);
  if (!mongos) {
    problems_.push_back(mongos.error().text);
    return nullptr;
  }
  config::load_hooks hooks;
  hooks.publish = [this](std::shared_ptr<const routing::catalog> made) {
    cluster_->catalog = std::move(made);
  };
  const config::load_outcome done = cluster_->mirror.load(
      **mongos, is_first ? config::load_depth::everything : config::load_depth::thorough,
      hooks);
  const bool is_good = done.result == config::load_result::changed ||
                       done.result == config::load_result::unchanged;
  if (is_good && cluster_->catalog) return cluster_->catalog;
  problems_.push_back("the cluster's own catalog can't be read: " + done.detail);
  return nullptr;
}

}  // namespace scattergate::app
