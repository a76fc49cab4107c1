#include "app/catalog_source.hpp"

#include <algorithm>
#include <utility>

#include "app/terminal.hpp"
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

void warn_of_faults(std::string_view subcommand, const routing::catalog& of) {
  constexpr std::size_t most_shown = 100;
  const auto faults = of.faults();
  for (std::size_t i = 0; i < std::min(faults.size(), most_shown); ++i) {
    text::problem shown = as_problem(faults[i]);
    if (!faults[i].name_space.empty()) shown.what += "; commands on it are unknown";
    fail(subcommand, shown);
  }
  if (faults.size() > most_shown) {
    fail(subcommand, text::failure(std::to_string(faults.size() - most_shown) +
                                   " further collections can't be read"));
  }
}

catalog_source::catalog_source(std::string source, std::string uri, std::string subcommand)
    : source_(std::move(source)), uri_(std::move(uri)), subcommand_(std::move(subcommand)) {}

catalog_source::~catalog_source() = default;

config::loaded_catalog catalog_source::load() {
  config::loaded_catalog loaded;
  if (source_ != config::catalog_options::mongos) {
    loaded = config::load_catalog(source_);
  } else if (auto read = load_from_mongos()) {
    loaded.value = *std::move(read);
  } else {
    loaded.problems.push_back(read.error());
  }
  if (loaded.value) warn_of_faults(subcommand_, *loaded.value);
  return loaded;
}

std::shared_ptr<const routing::catalog> catalog_source::load_newer() {
  if (source_ != config::catalog_options::mongos) return nullptr;
  const auto read = load_from_mongos();
  return read ? *read : nullptr;
}

text::result<std::shared_ptr<const routing::catalog>> catalog_source::load_from_mongos() {
  const bool is_first = cluster_ == nullptr;
  if (is_first) cluster_ = std::make_unique<cluster>();
  auto mongos = config::mongo_client::open(uri_, {"scattergate-" + subcommand_});
  if (!mongos) return text::failure(mongos.error().text);
  config::load_hooks hooks;
  hooks.publish = [this](std::shared_ptr<const routing::catalog> made) {
    cluster_->catalog = std::move(made);
  };
  const config::load_outcome done = cluster_->mirror.load(
      **mongos, is_first ? config::load_depth::everything : config::load_depth::thorough,
      hooks);
  // Each note names a collection whose chunks aren't known, for example.
  for (const std::string& note : done.notes) fail(subcommand_, text::failure(note));
  const bool is_good = done.result == config::load_result::changed ||
                       done.result == config::load_result::unchanged ||
                       done.result == config::load_result::inconsistent;
  if (is_good && cluster_->catalog) return cluster_->catalog;
  return text::problem{"the cluster's own catalog can't be read", done.detail};
}

}  // namespace scattergate::app
