#include "app/gate/gate_proxy.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "app/admin_client.hpp"
#include "app/catalog_source.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::app {
namespace {

/// The minimum time to wait for a cluster's catalog.
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
                            const config::catalog_options& catalog, const gate_rules& rules,
                            const net::endpoint& admin, const std::string& folder) {
  config::options made;
  made.listeners = std::move(listeners);
  made.catalog = catalog;
  made.waits_for_catalog = true;
  made.admin = admin;
  made.rules = rules.rules();
  made.comments.accept = rules.accepting();
  made.limits.trust_clients = true;
  made.audit.file = "off";
  made.max_namespaces = max_namespaces;
  made.log.file = folder + "/log";
  made.drain_grace = grace;
  return made;
}

/// The sum of a counter's series.
std::uint64_t sum_of(std::string_view name, std::string_view metrics) {
  std::uint64_t sum = 0;
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('\n'), metrics.size());
    const std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    const std::size_t space = line.rfind(' ');
    if (!line.starts_with(name) || space == line.npos) continue;
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

text::result<void> gate_proxy::load(const config::catalog_options& catalog) {
  catalog_ = catalog;
  loaded_ = config::load_catalog(catalog.source);
  if (!loaded_.problems.empty()) return loaded_.problems.front();
  warn_of_faults("gate", *loaded_.value);
  return {};
}

text::result<void> gate_proxy::start(std::vector<config::listener_options> listeners,
                                     const gate_rules& rules,
                                     const std::optional<net::endpoint>& admin,
                                     std::shared_ptr<const telemetry::running_tests> tests,
                                     std::chrono::seconds patience) {
  if (folder_.empty()) return text::failure("can't create a directory in /tmp");
  loaded_.rules.clear();  // they are in `rules`
  admin_ = admin.value_or(net::endpoint{{}, 0, folder_ + "/admin"});
  const auto options = options_for(std::move(listeners), catalog_, rules, admin_, folder_);
  if (auto opened = telemetry::log::open(options.log.file, options.log.level); !opened) {
    return opened;
  }
  try {
    daemon_ = std::make_unique<proxy::daemon>(
        options, std::move(loaded_),
        [options] {
          return config::loaded_options{options, {}, {}};
        },
        proxy::signal_answers::none);
    daemon_->watch_tests(std::move(tests));
    daemon_->start();
  } catch (const std::exception& failure) {
    return text::failure(failure.what());
  }
  runs_ = std::thread{[this] { daemon_->run(); }};
  return wait_for_catalog(std::max(patience, catalog_patience));
}

text::result<void> gate_proxy::wait_for_catalog(std::chrono::seconds patience) const {
  const auto until = std::chrono::steady_clock::now() + patience;
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

void gate_proxy::stop(report::digest_builder& to) {
  daemon_->stop();
  runs_.join();
  to.on_digest(daemon_->copy_digest());
}

text::result<proxy_facts> read_proxy_facts(const admin_address& of) {
  const auto answer = get_from_admin(of, "/metrics", most_metrics, metrics_patience);
  if (!answer) return answer.error();
  if (!answer->is_good() || !answer->is_whole) {
    return text::failure("no metrics: " + (answer->status_line.empty() ? "no answer in time"
                                                                       : answer->status_line));
  }
  return proxy_facts{sum_of("scattergate_connections_accepted_total", answer->body),
                     sum_of("scattergate_uninspected_messages_total", answer->body),
                     sum_of("scattergate_commands_total", answer->body),
                     sum_of("scattergate_outdated_verdicts_total", answer->body)};
}

}  // namespace scattergate::app
