#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "net/endpoint.hpp"
#include "net/tls_options.hpp"

namespace scattergate::config {

struct listener_options {
  net::endpoint listen{"127.0.0.1", 27117, {}};
  std::vector<net::endpoint> upstream;
  std::optional<net::client_tls_options> tls;
  std::optional<net::upstream_tls_options> upstream_tls;
  bool proxy_protocol = false;  ///< a PROXY v2 header before everything else, to mongos
  friend bool operator==(const listener_options&, const listener_options&) = default;
};

struct catalog_options {
  static constexpr std::string_view mongos = "mongos";
  static constexpr std::string_view off = "off";

  /// `mongos`: the cluster's own, read through a mongos; `preset:NAME`; a file's absolute path;
  /// or `off`: none, and every command on a collection is `unknown`.
  std::string source{mongos};
  std::string uri;       ///< of the mongos, password included; empty: see uri_file
  std::string uri_file;  ///< a file that holds one; empty: the first listener's upstreams
  std::chrono::milliseconds refresh{30'000};
  std::size_t max_chunks = 200'000;  ///< beyond that collections are known by their keys only

  [[nodiscard]] bool is_live() const noexcept { return source == mongos; }
  friend bool operator==(const catalog_options&, const catalog_options&) = default;
};

struct audit_options {
  std::string file = "-";  ///< a path, `-` for standard output, `off`
  std::chrono::milliseconds interval{60'000};
  std::size_t max_shapes = 10'000;
  friend bool operator==(const audit_options&, const audit_options&) = default;
};

/// What of the digest outlives the process.
struct state_options {
  std::string file;  ///< empty: none
  std::chrono::milliseconds interval{60'000};
  friend bool operator==(const state_options&, const state_options&) = default;
};

struct log_options {
  std::string file = "-";  ///< a path, `-` for standard error
  std::string level = "info";
  bool ready_line = true;  ///< a plain line on standard error once the daemon serves
  friend bool operator==(const log_options&, const log_options&) = default;
};

struct limit_options {
  std::size_t connections = 10'000;
  std::size_t connections_per_address = 0;          ///< of one peer address; 0: any number
  std::chrono::milliseconds first_message{10'000};  ///< to finish it, TLS included; 0: any time
  std::chrono::milliseconds message{60'000};        ///< to finish one once begun; 0: any time
  std::chrono::milliseconds idle{0};                ///< without a byte either way; 0: any time
  /// How long labels and findings keep their places while nothing comes of them.
  std::chrono::milliseconds quiet{std::chrono::hours{24}};
  std::uint64_t message_bytes = 48'000'000;           ///< the largest request
  std::uint64_t memory_bytes = 512ULL * 1024 * 1024;  ///< for messages held whole or followed
  friend bool operator==(const limit_options&, const limit_options&) = default;
};

/// What applications may say in a command's `comment`.
struct comment_options {
  /// Globs of the namespaces in which `scattergate:accept WHY` accepts what is observed.
  std::vector<std::string> accept;
  friend bool operator==(const comment_options&, const comment_options&) = default;
};

struct failover_options {
  /// How often each upstream gets a health check; 0: never.
  std::chrono::milliseconds check_interval{2'000};
  friend bool operator==(const failover_options&, const failover_options&) = default;
};

struct handover_options {
  /// The Unix socket over which a successor asks for our listening sockets; empty: none.
  std::string socket;
  friend bool operator==(const handover_options&, const handover_options&) = default;
};

/// What is kept of the commands that come by, for `scattergate verify --from`.
enum class sample_content : std::uint8_t {
  off,
  shapes,  ///< their shapes, which hold no values
  values,  ///< one whole command of each shape as well
};

struct verify_options {
  sample_content samples = sample_content::shapes;
  bool self_check = false;  ///< whether mongos is asked to explain a find now and then
  std::chrono::milliseconds interval{10'000};  ///< from one self-check to the next, at least
  /// The file with the connection string for self-checks; empty: the first listener's
  /// upstreams, without credentials.
  std::string uri_file;
  friend bool operator==(const verify_options&, const verify_options&) = default;
};

/// Where options were read from, which is no part of what they say; empty: nowhere.
struct options_file_name {
  std::string name;
  friend bool operator==(const options_file_name&, const options_file_name&) noexcept {
    return true;
  }
};

/// What of the commands that pass can be looked at.
enum class tap_content : std::uint8_t {
  off,
  redacted,  ///< their shapes, which hold no values
};

/// Who may see what the admin address shows, beside metrics and health, and how.
struct admin_access_options {
  net::client_tls_options tls;     ///< without a cert_file: plain
  std::string token_file;          ///< empty: whoever gets there by loopback
  std::vector<std::string> hosts;  ///< further names that it may be asked by
  tap_content tap = tap_content::off;
  /// A template of links to Grafana, with {db}, {collection}, {command}, {shape}, {from} and
  /// {to}; empty: none.
  std::string grafana_link;
  /// Findings that none of come for so long are resolved.
  std::chrono::milliseconds resolved_after{std::chrono::hours{1}};
  friend bool operator==(const admin_access_options&, const admin_access_options&) = default;
};

/// Everything that `run` can be told (docs/configuration.md). Durations in the file
/// are written `30s`, `250ms`, `5m`, `1h`; sizes `512MiB`, `64KiB`, or bytes.
struct options {
  options_file_name file;
  std::vector<listener_options> listeners;  ///< at least one
  unsigned threads = 0;                     ///< 0: the smaller of 2 and the cgroup's CPU quota
  bool inspect = true;                      ///< off: a plain relay
  catalog_options catalog;
  std::vector<rule> rules;
  comment_options comments;
  bool reject_uninspected = false;  ///< on_uninspected: reject, under a reject rule
  net::endpoint admin{"127.0.0.1", 19216, {}};
  bool admin_page = true;
  std::optional<net::endpoint> admin_page_listen;  ///< for the page and the API alone
  admin_access_options admin_access;
  std::size_t max_namespaces = 200;
  audit_options audit;
  state_options state;
  log_options log;
  limit_options limits;
  failover_options failover;
  handover_options handover;
  verify_options verify;
  std::chrono::milliseconds drain_grace{30'000};
  friend bool operator==(const options&, const options&) = default;
};

/// The number of workers to start: `threads`, or the default where it is 0.
[[nodiscard]] unsigned effective_threads(const options& options);

/// The whole CPUs, at least one, that a cgroup v2 `cpu.max` ("150000 100000", "max 100000")
/// allows; nothing where it sets no quota or isn't one.
[[nodiscard]] std::optional<unsigned> cpus_of_quota(std::string_view cpu_max);

}  // namespace scattergate::config
