#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <malloc.h>
#include <sys/resource.h>

#include "app/self_checks.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/options/load.hpp"
#include "proxy/daemon.hpp"
#include "proxy/process_signals.hpp"
#include "telemetry/log/log.hpp"
#include "text/problem.hpp"

namespace scattergate::app {
namespace {

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
