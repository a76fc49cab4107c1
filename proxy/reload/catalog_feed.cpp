#include "proxy/reload/catalog_feed.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "config/driver/connection_string.hpp"
#include "config/driver/driver_events.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using config::load_result;
using log::component;
using log::severity;
using telemetry::condition_kind::catalog_failing;
using telemetry::condition_kind::collection_unreadable;
using telemetry::condition_kind::driver_failing;

/// How long /readyz waits for the first load of the catalog.
constexpr std::chrono::seconds settling_time{5};

constexpr const char* application = "scattergate-catalog";

bool is_good(load_result result) {
  return result == load_result::changed || result == load_result::unchanged;
}

/// The memory limit for the live catalog's records of collections and chunks: half of
/// limits.memory, in addition to limits.memory. If catalog.max_chunks exceeds its default, the
/// limit is larger accordingly.
std::size_t catalog_bytes(const config::catalog_options& options, std::size_t memory_bytes) {
  constexpr std::size_t least_bytes = std::size_t{16} << 20;
  constexpr std::size_t chunk_bytes = 256;
  const std::size_t default_chunks = config::catalog_options{}.max_chunks;
  const std::size_t further = options.max_chunks - std::min(options.max_chunks, default_chunks);
  return std::max(least_bytes, memory_bytes / 2) + further * chunk_bytes;
}

}  // namespace

catalog_feed::catalog_feed(boost::asio::io_context& control,
                           telemetry::metrics_collector& metrics, telemetry::health& health,
                           telemetry::condition_board& conditions, taker take,
                           read_noter note_read)
    : control_(control),
      metrics_(metrics),
      health_(health),
      conditions_(conditions),
      take_(std::move(take)),
      note_read_(std::move(note_read)),
      patience_(control) {}

catalog_feed::~catalog_feed() {
  stop();
}

void catalog_feed::stop() {
  if (is_current_) *is_current_ = false;
  // A stopped catalog can't fail.
  conditions_.clear_all_but(catalog_failing, {});
  conditions_.clear(driver_failing, application);
  live_.reset();
  notes_.reset();
  patience_.cancel();
}

void catalog_feed::follow(const config::options& options) {
  auto& facts = *metrics_.facts().catalog;
  if (!options.catalog.is_live()) {
    stop();
    facts.is_live = false;
    facts.state = options.catalog.source == config::catalog_options::off
                      ? config::catalog_state::off
                      : config::catalog_state::file;
    return health_.set_catalog_settled();
  }
  source from{text::failure({}), options.catalog, options.limits.memory_bytes};
  if (auto found = config::find_catalog_uri(options); !found) {
    from.uri = found.error();
  } else {
    from.uri = std::move(found->text);
    if (found->warning) {
      log::write(
          severity::warning, component::catalog, 7004,
          "The catalog's connection string isn't secret; every user of this host can read it",
          {{"why", text::to_string(*found->warning)}});
    }
  }
  config::end_driver_rests();
  if (live_ && from == source_) return live_->restart();
  stop();
  start(std::move(from));
}

void catalog_feed::show(const routing::catalog& used) {
  auto& facts = metrics_.facts();
  std::uint64_t chunks = 0;
  for (const auto& collection : used.collections()) chunks += collection.chunks.size();
  std::vector<telemetry::condition_subject> unreadable;
  for (const routing::catalog_fault& each : used.faults()) {
    // A fault without a namespace is known by its place.
    const std::string& name = each.name_space.empty() ? each.why.where : each.name_space;
    conditions_.hold(collection_unreadable, name, to_string(each.why));
    unreadable.emplace_back(name);
  }
  conditions_.clear_all_but(collection_unreadable, unreadable);
  facts.catalog_collections = used.collections().size();
  facts.catalog_chunks = chunks;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (!used.is_absent()) {
    facts.catalog_loaded_at = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  }
}

void catalog_feed::start(source from) {
  source_ = std::move(from);
  has_loaded_ = false;
  notes_ = std::make_shared<config::catalog_notes>();
  is_current_ = std::make_shared<bool>(true);
  config::live_catalog_settings settings;
  settings.refresh = source_.options.refresh;
  settings.bounds = {source_.options.max_chunks,
                     catalog_bytes(source_.options, source_.memory_bytes)};
  settings.open =
      [uri = source_.uri](
          std::stop_token stop) -> config::mongo_result<std::unique_ptr<config::mongo_reader>> {
    if (!uri) {
      return config::mongo_error{config::mongo_failure::bad_uri, 0,
                                 text::to_string(uri.error())};
    }
    auto opened =
        config::mongo_client::open(*uri, {.application = application, .stop = std::move(stop)});
    if (!opened) return opened.error();
    return std::unique_ptr<config::mongo_reader>{std::move(*opened)};
  };
  config::live_catalog_events events;
  events.on_thread = [] { log::set_thread_name("catalog"); };
  events.on_catalog = [this, current = is_current_](auto made) {
    boost::asio::post(control_, [this, current, made = std::move(made)] {
      if (*current) take_(made);
    });
  };
  events.on_load = [this, current = is_current_](const config::load_outcome& outcome) {
    boost::asio::post(control_, [this, current, outcome] {
      if (*current) on_load(outcome);
    });
  };
  patience_.expires_after(settling_time);
  patience_.async_wait([this](const boost::system::error_code& error) {
    if (!error) health_.set_catalog_settled();
  });
  live_ = std::make_unique<config::live_catalog>(std::move(settings), std::move(events), notes_,
                                                 metrics_.facts().catalog);
}

void catalog_feed::on_load(const config::load_outcome& outcome) {
  if (!is_good(outcome.result)) metrics_.facts().catalog_load_failures.fetch_add(1);
  log_state(outcome);
  last_ = outcome.result;
  has_loaded_ = true;
  if (is_good(outcome.result) || outcome.result == load_result::inconsistent) {
    note_read_(outcome.number);
    patience_.cancel();
    health_.set_catalog_settled();
  }
}

void catalog_feed::log_state(const config::load_outcome& outcome) {
  for (const std::string& note : outcome.notes) {
    log::write(severity::warning, component::catalog, 7003,
               "The catalog read from the cluster is incomplete, or the cluster has changed",
               {{"what", note}});
  }
  if (!is_good(outcome.result)) {
    const std::string shown = source_.uri ? config::hide_password(*source_.uri) : std::string{};
    const bool has_previous = metrics_.facts().catalog_loaded_at != 0;
    return conditions_.raise(catalog_failing, shown,
                             std::string{label(outcome.result)} + ": " + outcome.detail +
                                 (has_previous ? "; the previous catalog stays in use"
                                               : "; no catalog was read before, so commands on "
                                                 "collections count as unknown"));
  }
  conditions_.clear_all_but(catalog_failing, {});
  if (has_loaded_ && is_good(last_)) return;
  const auto& facts = metrics_.facts();
  log::write(severity::info, component::catalog, 7001, "The catalog was read from the cluster",
             {{"mongos", outcome.address},
              {"collections", static_cast<std::int64_t>(facts.catalog_collections.load())},
              {"chunks", static_cast<std::int64_t>(facts.catalog_chunks.load())}});
}

}  // namespace scattergate::proxy
