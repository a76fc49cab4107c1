#include "app/gate/gate_proxy.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "app/admin_client.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::app {
namespace {

/// How long to wait for a cluster's catalog.
constexpr std::chrono::seconds catalog_patience{15};

/// How long commands in flight may take after COMMAND has ended.
constexpr std::chrono::milliseconds grace{2'000};

/// The daemon's maximum, because a test suite may create a database for each test.
constexpr std::size_t max_namespaces = 20'000;

constexpr std::size_t most_metrics = 64UL << 20;
constexpr std::chrono::seconds metrics_patience{10};

/// Creates a folder that only this user may enter; empty on failure. The name is short, because
/// the path of a Unix socket must be.
std::string make_folder() {
  std::string name = "/tmp/scattergate-gate-XXXXXX";
  return ::mkdtemp(name.data()) == nullptr ? std::string{} : name;
}

config::options options_for(std::vector<config::listener_options> listeners,
                            const config::catalog_options& catalog, const net::endpoint& admin,
                            const std::string& folder) {
  config::options made;
  made.listeners = std::move(listeners);
  made.catalog = catalog;
  made.admin = admin;
  made.audit.file = "off";
  made.max_namespaces = max_namespaces;
  made.log.file = folder + "/log";
  made.drain_grace = grace;
  return made;
}

/// The sum of a counter's series whose labels contain `text`.
std::uint64_t sum_of(std::string_view name, std::string_view metrics,
                     std::string_view text = {}) {
  std::uint64_t sum = 0;
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('\n'), metrics.size());
    const std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    const std::size_t space = line.rfind(' ');
    if (!line.starts_with(name) || space == line.npos) continue;
    if (line.find(text) == line.npos) continue;
    double value = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), value);
    sum += static_cast<std::uint64_t>(value);
  }
  return sum;
}

}  // namespace

gate_proxy::gate_proxy() : folder_(make_folder()) {}

gate_proxy::~gate_proxy() {
  if (runs_.joinable()) {
    daemon_->stop();
    runs_.join();
  }
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
}

text::result<void> gate_proxy::start(std::vector<config::listener_options> listeners,
                                     const config::catalog_options& catalog,
                                     const std::optional<net::endpoint>& admin) {
  if (folder_.empty()) return text::failure("can't create a directory in /tmp");
  config::loaded_catalog loaded = config::load_catalog(catalog.source);
  if (!loaded.problems.empty()) return loaded.problems.front();
  loaded.rules.clear();  // a gate only observes; the baseline decides what fails
  admin_ = admin.value_or(net::endpoint{{}, 0, folder_ + "/admin"});
  const auto options = options_for(std::move(listeners), catalog, admin_, folder_);
  if (auto opened = telemetry::log::open(options.log.file, options.log.level); !opened) {
    return opened;
  }
  try {
    daemon_ = std::make_unique<proxy::daemon>(
        options, std::move(loaded),
        [options] {
          return config::loaded_options{options, {}, {}};
        },
        proxy::signal_answers::none);
    daemon_->start();
  } catch (const std::exception& failure) {
    return text::failure(failure.what());
  }
  runs_ = std::thread{[this] { daemon_->run(); }};
  return wait_for_catalog();
}

text::result<void> gate_proxy::wait_for_catalog() const {
  const auto until = std::chrono::steady_clock::now() + catalog_patience;
  while (daemon_->catalog_now()->is_absent()) {
    if (std::chrono::steady_clock::now() > until) {
      return text::failure("the cluster's own catalog can't be read");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return {};
}

std::vector<net::endpoint> gate_proxy::bound() const {
  return daemon_->bound();
}

std::shared_ptr<const routing::catalog> gate_proxy::catalog() const {
  return daemon_->catalog_now();
}

gate_proxy::facts gate_proxy::read_facts() const {
  const auto answer = get_from_admin({admin_}, "/metrics", most_metrics, metrics_patience);
  const std::string metrics = answer ? answer->body : std::string{};
  facts seen{sum_of("scattergate_connections_accepted_total", metrics),
             sum_of("scattergate_uninspected_messages_total", metrics)};
  for (const char* routing : {"single_shard", "multi_shard", "scatter_gather"}) {
    seen.on_sharded += sum_of("scattergate_commands_total", metrics,
                              "routing=\"" + std::string{routing} + "\"");
  }
  return seen;
}

void gate_proxy::stop(report::digest_builder& to) {
  daemon_->stop();
  runs_.join();
  daemon_->read_table([&to](const digest::table& judged) { to.on_digest(judged); });
}

}  // namespace scattergate::app
