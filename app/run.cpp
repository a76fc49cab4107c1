#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>

#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "proxy/daemon.hpp"
#include "proxy/process_signals.hpp"
#include "report/verify/self_check.hpp"
#include "telemetry/log/log.hpp"
#include "text/problem.hpp"

namespace scattergate::app {
namespace {

using client_result = config::mongo_result<std::unique_ptr<config::mongo_reader>>;

/// Connects to mongos. Reads the credentials each time, because they may change.
client_result open(const config::options& options, std::stop_token stop) {
  const auto uri = config::find_self_check_uri(options);
  if (!uri) {
    return config::mongo_error{config::mongo_failure::bad_uri, 0, text::to_string(uri.error())};
  }
  auto opened = config::mongo_client::open(
      uri->text, {.application = "scattergate-self-check", .stop = std::move(stop)});
  if (!opened) return opened.error();
  return client_result{std::unique_ptr<config::mongo_reader>{std::move(*opened)}};
}

/// Starts the self-check of the daemon `of`, which compares verdicts with mongos's explain.
/// Returns null if the setting verify.self_check is off. The caller must destroy the self-check
/// before the daemon.
std::unique_ptr<report::self_check> start_self_check(const config::options& options,
                                                     proxy::daemon& of) {
  if (!options.verify.self_check) return nullptr;
  // How long it may take until a live catalog knows about a chunk's move.
  const auto patience =
      options.catalog.is_live() ? 2 * options.catalog.refresh : std::chrono::milliseconds{0};
  return std::make_unique<report::self_check>(report::self_check::parts{
      of.checks(), [&of] { return of.catalog_now(); },
      [options](std::stop_token stop) { return open(options, std::move(stop)); }, patience});
}

/// Raises the soft limit of descriptors to the hard limit: the usual soft limit is 1024, and
/// every connection takes two descriptors.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Makes malloc return the memory of large messages to the system. By default it adapts to
/// large blocks and keeps them, up to 64 MiB in each thread's arena.
void keep_no_large_blocks() {
  constexpr int large = 1024 * 1024;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, 4 * large);
}

int fail_to_start(const std::vector<text::problem>& problems) {
  for (const auto& problem : problems) {
    write_line(stderr, "scattergate: " + to_string(problem));
  }
  return 1;
}

}  // namespace

int run(const config::flags& given) {
  proxy::end_by_signal_while_starting();
  const auto load = [&given] {
    return config::load_options(given, config::process_environment());
  };
  auto options = load();
  if (!options.problems.empty()) return fail_to_start(options.problems);
  auto catalog = config::load_catalog(options.value.catalog.source);
  if (!catalog.problems.empty()) return fail_to_start(catalog.problems);
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  keep_no_large_blocks();
  const auto opened = telemetry::log::open(options.value.log.file, options.value.log.level);
  if (!opened) return fail_to_start({opened.error()});
  telemetry::log::set_thread_name("main");
  try {
    proxy::daemon daemon(options.value, std::move(catalog), load);
    daemon.start();
    const auto checking = start_self_check(options.value, daemon);
    if (options.value.log.ready_line) write_line(stderr, daemon.ready_line());
    if (const std::uint64_t lost = daemon.run(); lost != 0) {
      write_line(stderr, "scattergate: " + std::to_string(lost) +
                             " findings could not be written to the audit log");
      return 1;
    }
  } catch (const std::exception& failure) {
    write_line(stderr, std::string{"scattergate: "} + failure.what());
    return 1;
  }
  return 0;
}

}  // namespace scattergate::app
