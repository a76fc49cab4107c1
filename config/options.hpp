#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/endpoint.hpp"
#include "config/rule.hpp"

namespace scattergate::config {

struct listener_options {
  endpoint listen{"127.0.0.1", 27117, {}};
  std::vector<endpoint> upstream;
  friend bool operator==(const listener_options&, const listener_options&) = default;
};

struct catalog_options {
  /// `preset:NAME` or a file's absolute path; empty: none (every command is `unknown`).
  std::string source;
  friend bool operator==(const catalog_options&, const catalog_options&) = default;
};

struct audit_options {
  std::string file = "-";  ///< a path, `-` for standard output, `off`
  std::chrono::milliseconds interval{60'000};
  std::size_t max_shapes = 10'000;
  friend bool operator==(const audit_options&, const audit_options&) = default;
};

struct log_options {
  std::string file = "-";  ///< a path, `-` for standard error
  std::string level = "info";
  friend bool operator==(const log_options&, const log_options&) = default;
};

struct limit_options {
  std::size_t connections = 10'000;
  std::uint64_t memory_bytes = 512ULL * 1024 * 1024;  ///< for messages held whole
  friend bool operator==(const limit_options&, const limit_options&) = default;
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
  friend bool operator==(const options&, const options&) = default;
};

/// The number of workers to start: `threads`, or the default where it is 0.
[[nodiscard]] unsigned effective_threads(const options& options);

/// The whole CPUs, at least one, that a cgroup v2 `cpu.max` ("150000 100000", "max 100000")
/// allows; nothing where it sets no quota or isn't one.
[[nodiscard]] std::optional<unsigned> cpus_of_quota(std::string_view cpu_max);

}  // namespace scattergate::config
