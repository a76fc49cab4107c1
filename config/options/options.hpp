#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "config/text/file_stamp.hpp"
#include "net/endpoint.hpp"
#include "net/tls_context.hpp"

namespace scattergate::config {

/// Which of its mongos a listener uses. All but `connections` use one at a time, for all
/// connections, and another if that one fails.
enum class upstream_choice : std::uint8_t {
  spread,       ///< each host and listener prefers another mongos, so that a fleet uses all
  listed,       ///< the first of the list that works
  connections,  ///< each connection uses the mongos with the fewest; only for drivers with
                ///< loadBalanced=true
};

/// One listener: an address for clients, and the mongos to which it forwards.
struct listener_options {
  net::endpoint listen{"127.0.0.1", 27117, {}};  ///< the address for clients
  std::vector<net::endpoint> upstream;           ///< names of the mongos; several: for failover
  upstream_choice choice = upstream_choice::spread;       ///< which mongos is used
  std::optional<net::client_tls_options> tls;             ///< TLS with clients; empty: none
  std::optional<net::upstream_tls_options> upstream_tls;  ///< TLS with mongos; empty: none
  bool proxy_protocol = false;  ///< whether each connection to mongos begins with a PROXY v2
                                ///< header
  friend bool operator==(const listener_options&, const listener_options&) = default;
};

/// Options of the catalog: which collections are sharded, and how.
struct catalog_options {
  static constexpr std::string_view mongos = "mongos";  ///< value of `source`: the cluster's
                                                        ///< own catalog
  static constexpr std::string_view off = "off";        ///< value of `source`: no catalog

  /// `mongos`: the cluster's own catalog, read through a mongos; `preset:NAME`; a file's
  /// absolute path; or `off`: no catalog, so that every command on a collection is `unknown`.
  std::string source{mongos};
  std::string uri;  ///< connection string of the mongos, with its password; empty: use
                    ///< uri_file
  /// A file with the connection string of the mongos. Empty, and `uri` too: connect to the
  /// first listener's upstreams.
  std::string uri_file;
  std::chrono::milliseconds refresh{30'000};  ///< interval between loads of a live catalog
  /// The maximum number of chunks (ranges of shard keys) in a live catalog. For collections
  /// whose chunks don't fit, the number of shards that a command asks is unknown.
  std::size_t max_chunks = 200'000;

  /// Whether the catalog is read from the cluster.
  [[nodiscard]] bool is_live() const noexcept { return source == mongos; }
  friend bool operator==(const catalog_options&, const catalog_options&) = default;
};

/// Options of the audit log, which records findings: commands that scatter or have another
/// problem.
struct audit_options {
  std::string file = "-";  ///< path of the audit log, `-` for standard output, or `off`
  std::chrono::milliseconds interval{60'000};  ///< minimum time between two lines of a finding
  std::size_t max_shapes = 10'000;  ///< maximum number of findings; those beyond it share
                                    ///< two lines
  friend bool operator==(const audit_options&, const audit_options&) = default;
};

/// Options of the state file, which preserves the digest (all counts by query shape) across
/// restarts.
struct state_options {
  std::string file;  ///< path of the state file; empty: the digest isn't preserved
  std::chrono::milliseconds interval{60'000};  ///< a crash loses at most the counts of the
                                               ///< last `interval`
  friend bool operator==(const state_options&, const state_options&) = default;
};

/// Options for a fleet: several daemons (sidecars) that add up their counts in one database.
struct fleet_options {
  std::string name;                      ///< this sidecar's name, unique in the fleet
  std::string uri_file;                  ///< file with the connection string; empty: no fleet
  std::string database = "scattergate";  ///< name of the fleet's database
  std::chrono::milliseconds interval{60'000};  ///< time between two writes to the database
  unsigned logical_shards = 8;  ///< number of documents per query shape, so that sidecars
                                ///< don't all write to one document
  /// The maximum age of counts that aren't in the database yet; older counts are dropped.
  std::chrono::milliseconds retain{std::chrono::hours{24 * 30}};
  bool read = false;  ///< whether this daemon's page shows the counts of the whole fleet

  /// Whether this daemon belongs to a fleet.
  [[nodiscard]] bool is_on() const noexcept { return !uri_file.empty(); }
  friend bool operator==(const fleet_options&, const fleet_options&) = default;
};

/// Options of the operational log.
struct log_options {
  std::string file = "-";      ///< a path, or `-` for standard error
  std::string level = "info";  ///< debug, info, warning or error
  bool ready_line = true;  ///< whether to write a plain line to standard error once the daemon
                           ///< accepts connections
  friend bool operator==(const log_options&, const log_options&) = default;
};

/// Limits on clients.
struct limit_options {
  std::size_t connections = 10'000;         ///< maximum number of client connections
  std::size_t connections_per_address = 0;  ///< maximum number of connections per client
                                            ///< address; 0: unlimited
  /// Time limit for a client's first message, including the TLS handshake; 0: none.
  std::chrono::milliseconds first_message{10'000};
  /// Time limit for receiving a message that has begun; 0: none.
  std::chrono::milliseconds message{60'000};
  /// The time without a byte in either direction after which a connection is closed; 0: never.
  std::chrono::milliseconds idle{0};
  /// Metric labels and findings without a command for this time are evicted.
  std::chrono::milliseconds quiet{std::chrono::hours{24}};
  std::uint64_t message_bytes = 48'000'000;  ///< maximum size of a request, in bytes
  /// The maximum memory for data whose size clients determine, in bytes (docs/security.md,
  /// "Memory").
  std::uint64_t memory_bytes = 512ULL * 1024 * 1024;
  /// Whether failed commands, too, may add shapes and namespaces, whoever sends them. For test
  /// suites, not for production: failures without limit could evict the counts of others.
  bool trust_clients = false;
  friend bool operator==(const limit_options&, const limit_options&) = default;
};

/// What applications may request with the `comment` of a command.
struct comment_options {
  /// Globs of the namespaces ("db.collection") in which the comment `scattergate:accept WHY`
  /// makes a finding accepted, that is, intended.
  std::vector<std::string> accept;
  friend bool operator==(const comment_options&, const comment_options&) = default;
};

/// Options of the failover from one upstream (mongos) of a listener to another.
struct failover_options {
  /// The interval of health checks of each mongos; 0: no health checks.
  std::chrono::milliseconds check_interval{2'000};
  /// The time limit of a health check, from connecting to the end of the reply.
  std::chrono::milliseconds check_timeout{2'000};
  unsigned fall = 2;  ///< failed checks in a row after which the mongos in use is left
  unsigned rise = 1;  ///< passed checks in a row after which a mongos that failed is well again
  /// If clients wait, and no command has succeeded for this time, the health checks also try
  /// whether mongos runs commands; 0: never.
  std::chrono::milliseconds no_reply{10'000};
  /// With upstream_choice::spread: how long the mongos that a listener prefers must pass its
  /// health checks before the listener returns to it. The listener waits up to as long again,
  /// by chance. 0: it doesn't return.
  std::chrono::milliseconds return_after{std::chrono::minutes{10}};
  friend bool operator==(const failover_options&, const failover_options&) = default;
};

/// Options of the handover of listening sockets from an old daemon process to a new one.
struct handover_options {
  /// The Unix socket where the new process asks for the listening sockets; empty: none.
  std::string socket;
  friend bool operator==(const handover_options&, const handover_options&) = default;
};

/// What the daemon stores as a sample of commands, for `scattergate verify --from`.
enum class sample_content : std::uint8_t {
  off,
  shapes,  ///< query shapes, which contain no values
  values,  ///< also one whole command of each shape
};

/// Options of samples of commands, and of the self-check, which compares verdicts with mongos's
/// explain.
struct verify_options {
  sample_content samples = sample_content::shapes;  ///< which samples of commands to keep
  bool self_check = false;                          ///< whether the daemon does self-checks
  std::chrono::milliseconds interval{10'000};       ///< minimum time between two self-checks
  /// The file with the connection string for self-checks; empty: connect to the first
  /// listener's upstreams, without credentials.
  std::string uri_file;
  friend bool operator==(const verify_options&, const verify_options&) = default;
};

/// What the daemon stores of commands' values, for advice on shard keys.
struct advise_options {
  bool sketch = false;    ///< whether to keep sketches: statistics of salted hashes of values,
                          ///< never the values
  std::string salt_file;  ///< file with the salt, created at the first start; empty: each
                          ///< process has its own salt
  friend bool operator==(const advise_options&, const advise_options&) = default;
};

/// The file from which options were read; empty: none. Comparisons of options ignore it.
struct options_file_name {
  std::string name;
  /// Every file that the options consist of or name: the configuration file, accepted findings,
  /// certificates, keys, secrets, a catalog's file.
  files_read read;
  friend bool operator==(const options_file_name&, const options_file_name&) noexcept {
    return true;
  }
};

/// The kernel interface that the workers' event loops use.
enum class engine_choice : std::uint8_t {
  epoll,
  io_uring,
  automatic,  ///< io_uring if the kernel has it and allows it, otherwise epoll
};

/// When the daemon reads its files again.
enum class reload_choice : std::uint8_t {
  on_signal,  ///< on SIGHUP
  on_change,  ///< on SIGHUP, and when one of the files has changed
};

/// What /api/v1/tap, a live stream of commands, shows of them.
enum class tap_content : std::uint8_t {
  off,
  redacted,  ///< query shapes, which contain no values
};

/// Options for access to the page and the API. Metrics and health are always public.
struct admin_access_options {
  net::client_tls_options tls;  ///< TLS of the admin address; cert_file empty: no TLS
  std::string token_file;  ///< file with the token that requests need; empty: no token, and
                           ///< access on loopback only
  std::vector<std::string> hosts;      ///< additional names accepted in the Host header
  tap_content tap = tap_content::off;  ///< whether /api/v1/tap is on
  /// A template for links to Grafana, with {db}, {collection}, {command}, {shape}, {from} and
  /// {to}; empty: none.
  std::string grafana_link;
  /// A finding without a command for this time counts as resolved.
  std::chrono::milliseconds resolved_after{std::chrono::hours{1}};
  friend bool operator==(const admin_access_options&, const admin_access_options&) = default;
};

/// All settings of `scattergate run` (docs/configuration.md). A configuration file has
/// durations as `30s`, `250ms`, `5m`, `1h`, and sizes as `512MiB`, `64KiB` or bytes.
struct options {
  options_file_name file;
  std::vector<listener_options> listeners;  ///< at least one
  unsigned threads = 0;  ///< number of workers; 0: the smaller of 2 and the cgroup's CPU quota
  engine_choice engine = engine_choice::epoll;  ///< for the workers' event loops
  bool inspect = true;                          ///< false: relays messages without reading them
  catalog_options catalog;
  bool waits_for_catalog = false;  ///< each command waits until a live catalog has been read
                                   ///< again; no setting, only the subcommand `gate` sets it
  std::vector<rule> rules;         ///< in the order of evaluation
  comment_options comments;
  bool reject_uninspected = false;  ///< whether rules may reject messages that can't be read
                                    ///< because limits.memory has no room
  net::endpoint admin{"127.0.0.1", 19216, {}};     ///< the address of metrics, health, page and
                                                   ///< API
  bool admin_page = true;                          ///< whether to serve the page and the API
  std::optional<net::endpoint> admin_page_listen;  ///< an additional address, for the page and
                                                   ///< the API only; empty: none
  admin_access_options admin_access;
  std::size_t max_namespaces = 200;  ///< maximum number of namespaces with metric labels of
                                     ///< their own
  audit_options audit;
  state_options state;
  fleet_options fleet;
  log_options log;
  limit_options limits;
  failover_options failover;
  handover_options handover;
  verify_options verify;
  advise_options advise;
  /// How long busy connections may go on during a drain. (A drain ends all connections before
  /// the process exits.)
  std::chrono::milliseconds drain_grace{30'000};
  reload_choice reload = reload_choice::on_signal;
  friend bool operator==(const options&, const options&) = default;
};

/// The number of workers to start: options::threads, or the default if that is 0.
[[nodiscard]] unsigned effective_threads(const options& options);

/// The number of whole CPUs, at least one, that a cgroup v2 quota allows. `cpu_max`: the text
/// of the file `cpu.max`, such as "150000 100000" (1 CPU) or "max 100000". std::nullopt if it
/// sets no quota or is malformed.
[[nodiscard]] std::optional<unsigned> cpus_of_quota(std::string_view cpu_max);

}  // namespace scattergate::config
