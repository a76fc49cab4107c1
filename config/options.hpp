#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/endpoint.hpp"
#include "config/rule.hpp"

namespace scattergate::config {

struct listener_options {
  endpoint listen{"127.0.0.1", 27117, {}};
  std::vector<endpoint> upstream;
};

struct catalog_options {
  std::string source;  ///< `preset:NAME` or a file; empty: none (every command is `unknown`)
};

struct audit_options {
  std::string file = "-";  ///< a path, `-` for standard output, `off`
  std::chrono::milliseconds interval{60'000};
  std::size_t max_shapes = 10'000;
};

struct log_options {
  std::string file = "-";  ///< a path, `-` for standard error
  std::string level = "info";
};

struct limit_options {
  std::size_t connections = 10'000;
  std::uint64_t memory_bytes = 512ULL * 1024 * 1024;  ///< for messages held whole
};

/// Everything that `run` can be told (contract.md, "Configuration"). Durations in the file
/// are written `30s`, `250ms`, `5m`, `1h`; sizes `512MiB`, `64KiB`, or bytes.
struct options {
  std::vector<listener_options> listeners;  ///< at least one
  unsigned threads = 0;                     ///< 0: the smaller of 2 and the cgroup's CPU quota
  bool inspect = true;                      ///< off: a plain relay
  catalog_options catalog;
  std::vector<rule> rules;
  bool reject_uninspected = false;  ///< on_uninspected: reject, under a reject rule
  endpoint admin{"127.0.0.1", 19216, {}};
  bool admin_page = true;
  std::size_t max_namespaces = 200;
  audit_options audit;
  log_options log;
  limit_options limits;
  std::chrono::milliseconds drain_grace{30'000};
};

/// The number of workers to start: `threads`, or the default where it is 0.
[[nodiscard]] unsigned effective_threads(const options& options);

}  // namespace scattergate::config
