#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "sim/server.hpp"
#include "sim/simulator.hpp"
#include "sim/storage/cluster.hpp"
#include "sim/storage/config_db.hpp"

namespace {

using namespace scattergate;

constexpr const char* about =
    "scattergate-sim: a test double of a sharded cluster, in memory, on one port, for tests "
    "and "
    "demos.\nIt is not MongoDB: it stores nothing permanently, replicates nothing and supports "
    "some commands\n(docs/simulator.md lists them).\n\nIts own command {simShardStats: 1} on "
    "admin returns how many commands "
    "of each kind reached\neach shard: {shards: {shard1: {find: n, ...}, ...}}.";

struct options {
  std::string listen = "127.0.0.1:27017";
  std::size_t shards = 3;
  std::string preset;
  std::vector<std::string> users;
  sim::tls_files tls;
  std::string config_format = "8.0";
  bool print_catalog = false;
};

void add_users(sim::state& to, const std::vector<std::string>& users) {
  for (const std::string& each : users) {
    const std::size_t colon = each.find(':');
    if (colon == std::string::npos || colon == 0) {
      throw std::runtime_error("--user: expected NAME:PASSWORD");
    }
    to.users.add(each.substr(0, colon), each.substr(colon + 1));
  }
}

int run(const options& chosen) {
  sim::simulator simulator{chosen.shards};
  const auto release = sim::release_named(chosen.config_format);
  if (!release) throw std::runtime_error("unknown format: " + chosen.config_format);
  simulator.contents().data.simulate(*release);
  if (!chosen.preset.empty() && !sim::apply_preset(simulator.contents().data, chosen.preset)) {
    throw std::runtime_error("unknown preset: " + chosen.preset);
  }
  if (chosen.print_catalog) {
    std::cout << sim::catalog_yaml(simulator.contents().data);
    return 0;
  }
  add_users(simulator.contents(), chosen.users);
  sim::serve(simulator, chosen.listen, chosen.tls, [](const std::string& address) {
    std::cerr << "scattergate-sim: ready on " << address << std::endl;
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{about};
  options chosen;
  app.add_option("--listen", chosen.listen, "host:port or [v6]:port; port 0: any free port")
      ->capture_default_str();
  app.add_option("--shards", chosen.shards, "number of shards")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--preset", chosen.preset, "initial collections: yorkie");
  app.add_option("--user", chosen.users, "NAME:PASSWORD; repeatable; none: no authentication");
  auto* certificate = app.add_option("--tls-cert-file", chosen.tls.cert_file,
                                     "PEM: certificate, chain and key; none: no TLS");
  app.add_option("--tls-ca-file", chosen.tls.ca_file,
                 "PEM: clients must present a certificate of these CAs")
      ->needs(certificate);
  app.add_option("--config-format", chosen.config_format,
                 "version of MongoDB to simulate: 4.4 to 9.0, or a patch release (6.0.12)")
      ->capture_default_str();
  app.add_flag("--print-catalog", chosen.print_catalog,
               "print the catalog with chunks, and exit");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(chosen);
  } catch (const std::exception& failure) {
    std::cerr << "scattergate-sim: " << failure.what() << std::endl;
    return 1;
  }
}
