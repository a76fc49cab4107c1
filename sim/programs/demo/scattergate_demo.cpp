#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/traffic.hpp"

namespace {

namespace demo = scattergate::sim::demo;

constexpr const char* about =
    "scattergate-demo: simulates the traffic of Yorkie v0.6.38, a store for "
    "collaborative\ndocuments, with MongoDB's C driver: API servers, a dashboard and "
    "housekeeping, with a few\ncareless queries among them.";

struct options {
  demo::plan plan{.uri = "mongodb://127.0.0.1:27117", .seed = 1, .requests = 20'000};
  long seconds = 120;
  std::string summary;
  bool shards_collections = false;
};

void write_summary(const std::string& file, const demo::tally& sent) {
  if (file.empty()) return;
  std::ofstream out{file};
  if (!(out << sent.to_json() << '\n')) throw std::runtime_error("can't write " + file);
}

/// Time for those who follow the cluster's catalog to learn of the new collections.
constexpr std::chrono::seconds until_known{3};

int run(options& chosen) {
  const demo::driver driver;
  const demo::dataset data = demo::make_dataset(chosen.plan.seed);
  demo::tally sent;
  {
    demo::client cluster{chosen.plan.uri, "yorkie-setup", demo::database_name};
    demo::check_ownership(cluster);
    if (chosen.shards_collections) {
      demo::shard_collections(cluster);
      std::this_thread::sleep_for(until_known);
    }
    demo::seed(cluster, data);
    sent.merge(cluster.sent());
  }
  chosen.plan.at_most = std::chrono::seconds{chosen.seconds};
  demo::progress progress{chosen.plan.requests};
  const auto result = demo::send_traffic(
      chosen.plan, data, [&progress](std::uint64_t done) { progress.show(done); });
  progress.finish(result.requests);
  sent.merge(result.sent);
  write_summary(chosen.summary, sent);
  if (!result.failure.empty()) throw demo::driver_error(result.failure);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{about};
  options chosen;
  app.add_option("--uri", chosen.plan.uri, "where to send the traffic")
      ->envname("SCATTERGATE_DEMO_URI")
      ->capture_default_str();
  app.add_option("--operations", chosen.plan.requests,
                 "number of requests; each is one or more commands")
      ->check(CLI::Range(100, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--seconds", chosen.seconds, "stop after this time")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  app.add_option("--seed", chosen.plan.seed, "seed for data and choices")
      ->capture_default_str();
  app.add_option("--summary", chosen.summary, "write what was sent to this file, as JSON");
  app.add_flag("--shard", chosen.shards_collections, "shard the collections first");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(chosen);
  } catch (const std::exception& failure) {
    std::cerr << "scattergate-demo: " << failure.what() << std::endl;
    return 1;
  }
}
