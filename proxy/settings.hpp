#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/catalog_notes.hpp"
#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "net/tls_context.hpp"
#include "proxy/policy.hpp"
#include "proxy/throttle/throttle.hpp"
#include "routing/catalog/catalog.hpp"
#include "telemetry/admin/admin_access.hpp"
#include "telemetry/shapes/running_tests.hpp"

namespace scattergate::proxy {

/// The settings of a listener that a reload may change. Changed settings apply to connections
/// accepted after the reload. Thread-safety: immutable.
struct listener_settings {
  std::shared_ptr<const net::tls_context> client_tls;    ///< null: no TLS with clients
  std::shared_ptr<const net::tls_context> upstream_tls;  ///< null: no TLS with mongos
  bool proxy_protocol = false;  ///< connections to mongos begin with a PROXY header

  /// Whether scattergate terminates TLS, so that mongos sees scattergate's certificate instead
  /// of the client's.
  [[nodiscard]] bool terminates_tls() const noexcept { return client_tls || upstream_tls; }
};

/// The settings that a reload or a new catalog replaces. Each worker holds a snapshot, and
/// replaces it between two messages. Thread-safety: immutable.
struct settings {
  std::shared_ptr<const routing::catalog> catalog = routing::catalog::absent();
  std::shared_ptr<config::catalog_notes> notes;  ///< workers' reports to the live catalog (the
                                                 ///< one read from the cluster); null: there
                                                 ///< is no live catalog
  /// The state of the catalog; null: not known.
  std::shared_ptr<const config::catalog_facts> catalog_facts;
  std::shared_ptr<const telemetry::running_tests> tests;  ///< the running tests of a test
                                                          ///< suite; null: not known
  policy rules;                                      ///< all rules: of the options and of the
                                                     ///< catalog
  std::vector<std::shared_ptr<throttle>> throttles;  ///< the rate limiters, by rule index;
                                                     ///< null: the rule doesn't throttle, or is
                                                     ///< a dry run
  bool waits_for_catalog = false;   ///< each command waits until the live catalog, if there is
                                    ///< one, has been read again
  bool inspect = true;              ///< false: messages are forwarded without being read
  bool reject_uninspected = false;  ///< the option on_uninspected is `reject`: rules may
                                    ///< reject or throttle messages for which limits.memory
                                    ///< has no room
  config::limit_options limits;
  std::vector<listener_settings> listeners;  ///< in the order of the listeners
  telemetry::admin_settings admin;           ///< the settings of the admin HTTP server

  /// Whether the catalog lists this namespace, or a rule names the namespace literally,
  /// without `*` or `?`. Always true if clients are trusted.
  [[nodiscard]] bool names(wire::namespace_view name_space) const noexcept;

  /// A text to append to a rejection by the rule `decides`, if the rule depends on the catalog
  /// and the catalog is out of date; otherwise empty.
  [[nodiscard]] std::string catalog_caveat(const config::rule& decides) const;
};

/// When the live catalog was last read: "last read 2026-11-28T12:00:00.000Z" or "never read".
[[nodiscard]] std::string read_at_text(const config::catalog_facts& of);

/// Builds the settings. The caller adds `notes` and `throttles`. Returns a problem if a
/// certificate, a key, a mongos's host name or the admin token can't be used.
[[nodiscard]] text::result<std::shared_ptr<const settings>> make_settings(
    const config::options& options, const config::loaded_catalog& catalog);

}  // namespace scattergate::proxy
