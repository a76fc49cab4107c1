#include "app/catalog_source.hpp"

#include <utility>

#include "config/cluster/cluster_mirror.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {
namespace {

/// The maximum number of chunks, over all collections. For a collection whose chunks aren't
/// read, `verify` compares only the routing class.
constexpr std::size_t most_chunks = 1'000'000;

}  // namespace

/// The cluster's metadata as read so far.
struct catalog_source::cluster {
  config::catalog_facts facts;
  config::cluster_mirror mirror{{.chunks = most_chunks}, facts};
  std::shared_ptr<const routing::catalog> catalog;
};

catalog_source::catalog_source(std::string source, std::string uri, std::string reader)
    : source_(std::move(source)), uri_(std::move(uri)), reader_(std::move(reader)) {}

catalog_source::~catalog_source() = default;

config::loaded_catalog catalog_source::load() {
  if (source_ != config::catalog_options::mongos) return config::load_catalog(source_);
  auto read = load_from_mongos();
  if (!read) return {nullptr, {}, {read.error()}, {}};
  return {*std::move(read), {}, {}, {}};
}

std::shared_ptr<const routing::catalog> catalog_source::load_newer() {
  return source_ == config::catalog_options::mongos ? load().value : nullptr;
}

text::result<std::shared_ptr<const routing::catalog>> catalog_source::load_from_mongos() {
  const bool is_first = cluster_ == nullptr;
  if (is_first) cluster_ = std::make_unique<cluster>();
  auto mongos = config::mongo_client::open(uri_, {reader_});
  if (!mongos) return text::failure(mongos.error().text);
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
  return text::problem{"the cluster's own catalog can't be read", done.detail};
}

}  // namespace scattergate::app
