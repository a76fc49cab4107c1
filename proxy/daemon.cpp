#include "proxy/daemon.hpp"

#include <chrono>
#include <csignal>
#include <ctime>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "fleet/documents.hpp"
#include "fleet/stable_hash.hpp"
#include "net/endpoint.hpp"
#include "net/failing_memory.hpp"
#include "proxy/acceptor.hpp"
#include "proxy/faults/daemon_checks.hpp"
#include "proxy/process_signals.hpp"
#include "proxy/reload/catalog_feed.hpp"
#include "proxy/reload/file_watch.hpp"
#include "proxy/reload/reloader.hpp"
#include "proxy/settings.hpp"
#include "proxy/takeover/address_keeper.hpp"
#include "proxy/takeover/systemd.hpp"
#include "proxy/throttle/throttle.hpp"
#include "proxy/upstream/upstream_watch.hpp"
#include "proxy/worker_group.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/describe.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/admin/admin_server.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/api_answers.hpp"
#include "telemetry/advice/advice_service.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/fleet/fleet_sink.hpp"
#include "telemetry/fleet/fleet_view.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/sketches/sketch_book.hpp"
#include "telemetry/state/state_keeper.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
namespace log = telemetry::log;
using boost::system::error_code;
using log::component;
using log::severity;

/// The addresses on which a daemon listens; port 0 is replaced by the actual port.
struct bound_addresses {
  std::vector<net::endpoint> listeners;  ///< in the order of the options
  net::endpoint admin;                   ///< the admin address
  std::optional<net::endpoint> page;     ///< the page's own address (admin.page_listen)
};

bound_addresses addresses_of(const opened_sockets& opened) {
  bound_addresses bound{{}, opened.admin.all.bound, std::nullopt};
  for (const net::listener& each : opened.listeners) bound.listeners.push_back(each.bound);
  if (opened.admin.page) bound.page = opened.admin.page->bound;
  return bound;
}

std::string admin_url(const config::options& options, const net::endpoint& address) {
  const bool is_plain = options.admin_access.tls.cert_file.empty();
  return (is_plain ? "http://" : "https://") + to_string(address);
}

/// The URL of the page; "off" if it is off.
std::string page_url(const config::options& options, const bound_addresses& bound) {
  if (!options.admin_page) return "off";
  return admin_url(options, bound.page.value_or(bound.admin));
}

log::value or_none(const std::string& text) {
  if (text.empty()) return std::monostate{};
  return text;
}

/// Formats the addresses of a listener's mongos: "mongos1:27017 or mongos2:27017".
std::string names_of(const std::vector<net::endpoint>& upstreams) {
  std::string names;
  for (const auto& name : upstreams) names += (names.empty() ? "" : " or ") + to_string(name);
  return names;
}

/// Logs the start of the daemon: version, engine, files and addresses. Returns the addresses of
/// the sockets `opened`.
bound_addresses log_start(const config::options& options, const opened_sockets& opened,
                          const chosen_engine& engine) {
  bound_addresses bound = addresses_of(opened);
  std::vector<std::string> listeners;
  std::vector<std::string> upstreams;
  for (std::size_t i = 0; i < bound.listeners.size(); ++i) {
    listeners.push_back(to_string(bound.listeners[i]));
    upstreams.push_back(names_of(options.listeners[i].upstream));
  }
  log::write(severity::info, component::proxy, 1000, "scattergate is starting",
             {{"version", std::string{telemetry::this_build().version}},
              {"pid", static_cast<std::int64_t>(::getpid())},
              {"config", or_none(options.file.name)},
              {"listeners", std::move(listeners)},
              {"upstreams", std::move(upstreams)},
              {"admin", admin_url(options, bound.admin)},
              {"page", page_url(options, bound)},
              {"catalog", options.catalog.source},
              {"engine", std::string{engine.name()}},
              {"engineReason", engine.reason},
              {"audit", options.audit.file},
              {"state", or_none(options.state.file)}});
  return bound;
}

/// The plain-text line that announces readiness (option log.ready_line).
std::string ready_line(const config::options& options, const bound_addresses& bound) {
  std::string line = "scattergate ready: listening on";
  for (std::size_t i = 0; i < bound.listeners.size(); ++i) {
    line += " " + to_string(bound.listeners[i]) + " for mongos at " +
            names_of(options.listeners[i].upstream) + ",";
  }
  return line + " admin on " + admin_url(options, bound.admin);
}

/// A hash of the catalog's namespaces and shard keys. Excludes chunks, because they often move.
std::string hash_of(const routing::catalog& catalog) {
  fleet::stable_hash hash;
  for (const routing::collection& one : catalog.collections()) {
    hash.add(one.full_name());
    hash.add(routing::shard_key_json(one));
  }
  return routing::shape_hash_text(hash.value());
}

std::string hash_of(const policy& rules) {
  if (rules.all().empty()) return {};
  config::options only_rules;
  only_rules.rules.assign(rules.all().begin(), rules.all().end());
  fleet::stable_hash hash;
  hash.add(config::to_yaml(only_rules));
  return routing::shape_hash_text(hash.value());
}

/// This daemon's version, catalog and rules, for its document in the fleet's database. Other
/// members of the result are unset. If two daemons have equal values of sidecar_facts::catalog
/// and ::rules, they have the same shard keys and rules. `in_force`: the current settings.
/// `catalog_source`: the option catalog.source.
fleet::sidecar_facts fleet_facts_of(const settings& in_force,
                                    const std::string& catalog_source) {
  fleet::sidecar_facts facts;
  facts.version = telemetry::this_build().version;
  facts.catalog = in_force.catalog->is_absent()
                      ? "none"
                      : catalog_source + " " + hash_of(*in_force.catalog);
  facts.rules = hash_of(in_force.rules);
  return facts;
}

/// The salt of the sketches: from the salt file, or random without one. Throws
/// std::runtime_error if the salt file can't be read or created.
digest::salt salt_of(const config::advise_options& from) {
  if (from.salt_file.empty()) return digest::salt::random();
  const auto found = telemetry::salt_in(from.salt_file);
  if (!found) throw std::runtime_error("advise.salt_file: " + to_string(found.error()));
  if (const auto exposed = telemetry::salt_exposed(from.salt_file)) {
    log::write(severity::warning, component::config, 3006,
               "Other users can read the salt file, and guess values from the sketches with it",
               {{"file", from.salt_file}, {"detail", exposed->what}});
  }
  return *found;
}

/// The sketches; null if the option advise.sketch is off.
std::unique_ptr<telemetry::sketch_book> sketches_of(const config::options& from,
                                                    telemetry::memory_budget& memory) {
  if (!from.advise.sketch) return nullptr;
  return std::make_unique<telemetry::sketch_book>(salt_of(from.advise), memory);
}

/// The parts of the daemon that counting and showing use. They outlive both.
struct common_parts {
  const config::options& options;
  telemetry::metrics_collector& metrics;
  telemetry::condition_board& conditions;
  telemetry::health& health;
};

/// Where the workers' counts are added up, and the sinks that get them. The order of the
/// members is that of their construction: sinks come before the account, which passes counts
/// to them.
struct counting {
  /// `reserved_bytes`: the part of limits.memory for the admin server's answers.
  /// `is_successor`: this process replaces another one. `facts`: this daemon's facts for its
  /// document in the fleet's database.
  counting(const common_parts& of, std::size_t reserved_bytes, bool is_successor,
           std::function<fleet::sidecar_facts()> facts)
      : rows(telemetry::with_strangers(of.options.audit.max_shapes)),
        memory(of.options.limits.memory_bytes - reserved_bytes),
        digest(rows, memory, of.options.admin_access.resolved_after),
        sketches(sketches_of(of.options, memory)),
        audit({.file = of.options.audit.file,
               .interval = of.options.audit.interval,
               .max_shapes = rows,
               .quiet = of.options.limits.quiet,
               .local = {},
               .conditions = &of.conditions},
              [&metrics = of.metrics](std::string_view database, std::string_view collection) {
                metrics.count_new_shape(database, collection);
              }),
        ledger({.interval = of.options.fleet.interval,
                .logical_shards = of.options.fleet.logical_shards,
                .max_rows = rows,
                .retain = of.options.fleet.retain}),
        state(telemetry::state_settings_of(of.options, of.conditions, is_successor, ledger),
              digest, of.metrics.facts().state_write_failures, sketches.get()),
        fleet(fleet_settings(of), ledger,
              {of.metrics.facts().fleet_flushes, of.metrics.facts().fleet_failures,
               of.metrics.facts().fleet_flushed_at, of.metrics.facts().fleet_fresh_at,
               of.metrics.facts().fleet_waiting, of.metrics.facts().fleet_dropped},
              std::move(facts)),
        account(digest, {&audit.as_sink(), &state.as_sink()}, sketches.get()) {}

  [[nodiscard]] static telemetry::fleet_sink::settings fleet_settings(const common_parts& of) {
    auto made = telemetry::fleet_settings_of(of.options, of.conditions);
    made.on_name = [&health = of.health](bool is_held) { health.set_fleet_name_held(is_held); };
    return made;
  }

  /// Passes all counts to the sinks and ends their threads: the fleet's at `deadline`, or at
  /// once if `is_urgent`. Returns the number of findings that the audit log couldn't write.
  /// REQUIRES: all workers have ended.
  [[nodiscard]] std::uint64_t end(clock::time_point deadline, bool is_urgent,
                                  const std::string& audit_file) {
    account.close();
    audit.close();
    const std::uint64_t lost = audit.totals().outstanding;
    if (lost != 0) {
      log::write(severity::error, component::audit, 5004,
                 "Findings lost: the audit log could not be written completely",
                 {{"findings", static_cast<std::int64_t>(lost)}, {"file", audit_file}});
    }
    ledger.freeze_at_every_save();
    state.end();
    fleet.finish(deadline, is_urgent, [this] { return state.save_again(); });
    state.close();
    return lost;
  }

  std::size_t rows;                 // the most rows of a table of shapes
  telemetry::memory_budget memory;  // limits.memory; outlives everything that is charged to it
  telemetry::live_digest digest;
  std::unique_ptr<telemetry::sketch_book> sketches;  // null: values aren't sketched
  telemetry::audit_log audit;
  telemetry::fleet_ledger ledger;
  telemetry::state_keeper state;
  telemetry::fleet_sink fleet;
  telemetry::account account;
};

/// What the admin server shows. The server must be destroyed before this object.
struct showing {
  /// The daemon's settings, which a reload may change.
  struct sources {
    std::function<std::shared_ptr<const settings>()> settings_now;
    std::function<telemetry::api_facts()> facts;
  };

  showing(const common_parts& of, counting& counts, sources from)
      : settings_now(std::move(from.settings_now)),
        api({counts.digest, of.metrics, of.health, of.conditions, counts.audit,
             std::move(from.facts), settings_now()->admin.room.each, counts.sketches.get()}),
        advice(
            counts.digest, [this] { return settings_now()->catalog; }, counts.sketches.get()),
        whole_fleet(telemetry::fleet_view_settings_of(of.options)) {}

  /// Has `server` show everything. Call it before the server starts.
  void show_by(telemetry::admin_server& server, const common_parts& of, counting& counts,
               command_taps& taps) {
    server.show_digest(counts.digest);
    server.show_conditions(of.conditions);
    server.show_api(api);
    server.show_tap(taps.live);
    server.show_advice(advice);
    server.show("/api/v1/samples", "application/x-ndjson",
                [&taps] { return taps.samples.lines(); });
    server.show("/api/v1/rules", "application/json", [this, &metrics = of.metrics] {
      return telemetry::rules_json(settings_now()->rules.all(), metrics.rule_totals(),
                                   metrics.facts().catalog->is_stale);
    });
    if (!of.options.fleet.read) return;
    server.show("/api/v1/fleet", "application/json", [this] { return whole_fleet.json(); });
    server.show("/fleet", "text/html; charset=utf-8", [this] { return whole_fleet.html(); });
  }

  std::function<std::shared_ptr<const settings>()> settings_now;
  telemetry::api api;
  telemetry::advice_service advice;
  telemetry::fleet_view whole_fleet;
};

}  // namespace

/// The order of the members is that of their construction: the addresses first, so that a
/// failure to bind one has no visible effects; what workers use, before the workers.
struct daemon::impl {
  impl(const config::options& given, config::loaded_catalog catalog, reload_options reload,
       signal_answers signals_to)
      : options(given),
        answers(signals_to),
        engine(choose_engine(given.engine)),
        metrics(given.max_namespaces),
        addresses(given.handover.socket),
        listening(addresses, given),
        bound(log_start(given, listening, engine)),
        current(make_settings(given, catalog).value()),
        counts(common, current->admin.room.in_all, addresses.is_successor(),
               [this] { return fleet_facts_now(); }),
        taps(given.verify, given.admin_access.tap),
        web(common, counts,
            {[this] { return settings_now(); }, [this] { return facts_now(); }}),
        admin(std::move(listening.admin), metrics, health, current->admin),
        reloads(std::move(reload), metrics.facts(), conditions, manager, files,
                [this](const reloaded& by, auto on_used) {
                  apply_reload(by, std::move(on_used));
                }) {
    metrics.watch_audit(&counts.audit);
    metrics.watch_checks(&taps.checks->facts());
    metrics.watch_conditions(conditions);
    web.show_by(admin, common, counts, taps);
    metrics.facts().workers = workers.size();
    if (given.fleet.is_on()) metrics.facts().fleet_interval_ms = given.fleet.interval.count();
    if (addresses.is_successor()) metrics.note_handover();
    metrics.show_engine({engine.name(), engine.reason});
    use_sockets();
    reloads.watch_files(options, catalog.files);
    counts.state.collect_by(
        [this](clock::time_point deadline) { return collect_counts(deadline); });
  }

  ~impl() {
    counts.state.collect_by({});
    metrics.watch_audit(nullptr);
    metrics.watch_checks(nullptr);
  }

  /// Adds to the digest what the workers have counted so far, in several rounds if the account
  /// has no room for all at once. Returns false if `deadline` passes first.
  [[nodiscard]] bool collect_counts(clock::time_point deadline) {
    for (bool is_all = false; !is_all;) {
      is_all = workers.flush_counts(deadline);
      if (!counts.account.wait_until_added(deadline) || clock::now() >= deadline) return false;
    }
    return true;
  }

  /// Uses `catalog` from now on. If the options name a live catalog, starts that one, and uses
  /// `catalog` until the live one has been loaded.
  void follow(const config::options& from, std::shared_ptr<const routing::catalog> catalog) {
    catalogs.follow(from);
    use_catalog(std::move(catalog));
    metrics.facts().config_loaded_at = std::time(nullptr);
  }

  void use_catalog(std::shared_ptr<const routing::catalog> catalog) {
    catalogs.show(*catalog);
    auto changed = std::make_shared<settings>(*settings_now());
    changed->catalog = std::move(catalog);
    changed->notes = catalogs.notes();
    changed->tests = tests;
    changed->catalog_facts = metrics.facts().catalog;
    changed->throttles = throttles.renew(changed->rules.all(), throttle::clock::now());
    apply_settings(std::move(changed));
  }

  void apply_settings(std::shared_ptr<const settings> made) {
    const std::lock_guard lock(settings_mutex);
    current = std::move(made);
  }

  [[nodiscard]] std::shared_ptr<const settings> settings_now() {
    const std::lock_guard lock(settings_mutex);
    return current;
  }

  /// The facts that the API shows and that a reload may change.
  [[nodiscard]] telemetry::api_facts facts_now() {
    const std::lock_guard lock(settings_mutex);
    return {current->catalog,           options.catalog.source, options.file.name,
            options.audit.file,         options.state.file,     taps.live.is_allowed(),
            current->admin.grafana_link};
  }

  [[nodiscard]] fleet::sidecar_facts fleet_facts_now() {
    std::string source;
    {
      const std::lock_guard lock(settings_mutex);
      source = options.catalog.source;
    }
    return fleet_facts_of(*settings_now(), source);
  }

  void use_sockets() {
    for (std::size_t i = 0; i < options.listeners.size(); ++i) {
      net::listener& opened = listening.listeners[i];
      auto& facts = metrics.add_listener(to_string(opened.bound));
      upstream& mongos =
          upstreams.emplace_back(upstream_settings_of(options, i), context, facts, &conditions);
      workers.distribute(std::move(opened.sockets), {i, &mongos});
    }
    counts.audit.set_local(to_string(bound.listeners.front()));
  }

  /// What can fail precedes the first accept; the predecessor is notified after that.
  void start() {
    if (answers == signal_answers::daemon) block_process_signals();
    follow(options, settings_now()->catalog);
    workers.start(settings_now());
    watch_upstreams();
    counts.fleet.start();
    health.set_listening(true);
    admin.start();  // only now: until then, the predecessor has answered on the admin address
    addresses.expect_successor(context, [this] {
      admin.stop_accepting();
      if (!is_draining) stop();
    });
    if (answers == signal_answers::daemon) {
      for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) signals.add(each);
    }
    workers.accept();
    log::write(severity::info, component::proxy, 1001, "Accepting clients",
               {{"address", to_string(bound.listeners.front())},
                {"upstream", names_of(upstreams.front().names())},
                {"workers", static_cast<std::int64_t>(workers.size())}});
    await_signal();
    do_housekeeping();
    addresses.stop_predecessor();
    manager.notify_ready("Listening on " + to_string(bound.listeners.front()));
  }

  std::uint64_t serve() {
    {
      std::optional<signals_unblocked> here;
      if (answers == signal_answers::daemon) here.emplace();
      // If one handler runs out of memory, the others continue.
      while (!net::done_unless_memory_fails([this] { context.run(); })) continue;
    }
    catalogs.stop();
    watches.clear();
    workers.join();
    const std::uint64_t lost = counts.end(ends_at, is_urgent, options.audit.file);
    addresses.remove_admin_files();
    admin.stop();
    log::write(severity::info, component::proxy, 1003, "scattergate has stopped");
    return lost;
  }

  void await_signal() {
    signals.async_wait([this](const error_code& error, int signal) {
      if (error) return;
      if (signal == SIGHUP) {
        reloads.reload(options, settings_now()->catalog);
      } else if (signal == SIGUSR1) {
        log::reopen();
        counts.audit.reopen();
      } else {
        stop();
      }
      await_signal();
    });
  }

  /// The first TERM or INT starts the drain, the second ends it at once.
  void stop() {
    if (is_draining) return close_all();
    is_draining = true;
    ends_at = clock::now() + options.drain_grace;
    // With a successor, clients can still connect to the address, so it must stay ready.
    if (!addresses.has_successor()) health.set_draining();
    addresses.stop_offering();
    manager.notify_stopping("Draining");
    log::write(severity::info, component::proxy, 1002,
               "Draining; this process accepts no new clients, open connections end within "
               "drain.grace",
               {{"connections", static_cast<std::int64_t>(connections.total())}});
    workers.stop_accepting([this] { drain(); });
    grace.expires_after(options.drain_grace);
    grace.async_wait([this](const error_code& error) {
      if (!error) close_all();
    });
  }

  void drain() {
    // Stops the context instead of cancelling its timers: a timer that has already expired
    // can't be cancelled, and would restart itself.
    workers.drain(addresses.has_successor() ? drain_mode::patient : drain_mode::prompt,
                  [this] { context.stop(); });
    if (is_urgent) workers.close_all();
  }

  void close_all() {
    is_urgent = true;
    workers.close_all();
  }

  void watch_upstreams() {
    if (options.failover.check_interval.count() == 0) return;
    for (std::size_t listener = 0; upstream & mongos : upstreams) {
      watches.emplace_back(mongos, options.failover,
                           [this, listener] { return settings_now()->listeners[listener]; });
      ++listener;
    }
  }

  void check_certificates() {
    const auto shown = settings_now();
    std::vector<std::string> listeners;
    for (upstream& mongos : upstreams) {
      show_certificate_ends(shown->listeners[listeners.size()], mongos.facts());
      listeners.push_back(mongos.facts().address);
    }
    metrics.show_admin_certificate(certificate_end(shown->admin.tls.get()));
    proxy::check_certificates(*shown, listeners, std::chrono::system_clock::now(), conditions);
  }

  /// Called on a worker's thread.
  void report_faults(std::vector<fault> all) {
    asio::post(context, [this, all = std::move(all)] {
      for (const fault& each : all) {
        conditions.raise(each.kind, {each.subject, each.listener}, each.detail, each.count);
      }
    });
  }

  void do_housekeeping() {
    std::uint64_t tracked = 0;
    std::uint64_t evicted = 0;
    for (upstream& mongos : upstreams) {
      mongos.tick(clock::now());
      tracked += mongos.cursors().size();
      evicted += mongos.cursors().evictions();
    }
    metrics.facts().cursors_tracked = tracked;
    metrics.facts().cursors_evicted = evicted;
    taps.show(metrics.facts());
    limits.check_all({counts.memory, counts.audit, metrics, admin});
    check_certificates();
    check_staleness(*settings_now(), metrics.facts(), options.fleet.database, conditions);
    conditions.tick();
    metrics.evict_quiet(clock::now(), settings_now()->limits.quiet);
    housekeeping_timer.expires_after(std::chrono::milliseconds{500});
    housekeeping_timer.async_wait([this](const error_code& error) {
      if (!error) do_housekeeping();
    });
  }

  void apply_reload(const reloaded& by, std::function<void()> on_used) {
    {
      const std::lock_guard lock(settings_mutex);
      current = by.made;
      options.catalog = by.options.catalog;
    }
    options.listeners = by.options.listeners;
    for (std::size_t listener = 0; upstream & mongos : upstreams) {
      mongos.apply_settings(upstream_settings_of(by.options, listener++));
    }
    taps.set_tap(by.options.admin_access.tap);
    follow(by.options, by.made->catalog);
    check_certificates();  // at once, so that conditions match the new certificates
    admin.apply_settings(by.made->admin);
    counts.audit.set_times(by.options.audit.interval, by.options.limits.quiet);
    log::set_level(by.options.log.level);
    options.drain_grace = by.options.drain_grace;
    workers.apply_settings(settings_now(), std::move(on_used));
  }

  config::options options;
  signal_answers answers;
  telemetry::condition_board conditions;
  limit_checks limits{conditions};
  chosen_engine engine;
  telemetry::metrics_collector metrics;
  driver_watch drivers{conditions, metrics.facts().driver_restarts};
  telemetry::health health;
  asio::io_context context{1};
  address_keeper addresses;
  opened_sockets listening;
  bound_addresses bound;
  std::mutex settings_mutex;
  std::shared_ptr<const settings> current;                // guarded by settings_mutex
  std::shared_ptr<const telemetry::running_tests> tests;  // null: not known
  throttle_register throttles;
  common_parts common{options, metrics, conditions, health};
  counting counts;
  connection_counts connections;
  command_taps taps;
  showing web;
  telemetry::admin_server admin;
  catalog_feed catalogs{context,
                        metrics,
                        health,
                        conditions,
                        [this](auto made) {
                          use_catalog(std::move(made));
                          workers.apply_settings(settings_now(), [] {});
                        },
                        [this](std::uint64_t number) { workers.note_catalog_read(number); }};
  std::list<upstream> upstreams;  // a list, because addresses must be stable
  worker_group workers{
      context,
      {.metrics = metrics,
       .account = counts.account,
       .memory = counts.memory,
       .connections = connections,
       .taps = taps,
       .max_shapes = options.audit.max_shapes,
       .report_faults = [this](std::vector<fault> all) { report_faults(std::move(all)); },
       .sketches = counts.sketches.get()},
      config::effective_threads(options),
      engine.kind};
  std::list<upstream_watch> watches;  // a list, because addresses must be stable
  service_manager manager = service_manager::from_environment();
  file_watch files{[this](std::vector<std::string> changed) {
    asio::post(context, [this, changed = std::move(changed)] {
      reloads.reload(options, settings_now()->catalog, changed);
    });
  }};
  reloader reloads;
  asio::signal_set signals{context};
  asio::steady_timer grace{context};
  asio::steady_timer housekeeping_timer{context};
  bool is_draining = false;
  clock::time_point ends_at = clock::now();  // the end of the drain's grace time
  bool is_urgent = false;                    // the drain closes connections without waiting
};

daemon::daemon(const config::options& options, config::loaded_catalog catalog,
               reload_options reload, signal_answers signals)
    : impl_(std::make_unique<impl>(options, std::move(catalog), std::move(reload), signals)) {}

daemon::~daemon() = default;

std::string daemon::ready_line() const {
  return proxy::ready_line(impl_->options, impl_->bound);
}

std::shared_ptr<telemetry::check_queue> daemon::checks() {
  return impl_->taps.checks;
}

std::shared_ptr<const routing::catalog> daemon::catalog_now() {
  return impl_->settings_now()->catalog;
}

void daemon::watch_tests(std::shared_ptr<const telemetry::running_tests> tests) {
  impl_->tests = std::move(tests);
}

void daemon::start() {
  impl_->start();
}

std::uint64_t daemon::run() {
  return impl_->serve();
}

const std::vector<net::endpoint>& daemon::bound() const noexcept {
  return impl_->bound.listeners;
}

digest::table daemon::copy_digest() const {
  std::optional<digest::table> made;
  impl_->counts.digest.read_view([&](const telemetry::live_digest::view& all) {
    made.emplace(all.shapes.max_rows());
    made->add(all.shapes);
    for (const digest::row* one : all.shapes.ranked()) {
      const telemetry::shape_marks* const marks = all.marks_of(*one);
      if (marks != nullptr) made->row_of(one->key()).of.run.actions = marks->actions;
    }
  });
  return *std::move(made);
}

void daemon::stop() {
  asio::post(impl_->context, [this] { impl_->stop(); });
}

}  // namespace scattergate::proxy
