#include "proxy/standing_limits.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "routing/text/time_text.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::condition_kind;
using wall_clock = std::chrono::system_clock;

}  // namespace

void standing_limits::look_at(const counted& parts) {
  look("limits.memory", "what connections send finds no room", parts.memory.refusals());
  look("audit.max_shapes", "further findings count as __other__",
       parts.audit.totals().overflow);
  look("metrics.max_namespaces", "further collections count as __other__",
       parts.metrics.namespace_overflow());
  look("cursors", "the oldest are forgotten", parts.metrics.facts().cursors_evicted);
  look("admin connections", "a connection was closed for others", parts.admin.guests_cut());
}

void standing_limits::look(std::string_view name, std::string_view what,
                           std::uint64_t reached) {
  const std::uint64_t before = std::exchange(seen_[name], reached);
  if (reached <= before) return;
  conditions_.raise(condition_kind::limit_reached, name, what, reached - before);
}

void look_at_certificates(const settings& of, wall_clock::time_point now,
                          telemetry::condition_board& conditions) {
  std::vector<std::string> expired;
  std::vector<std::string> expiring;
  const auto look = [&](const net::tls_context* tls) {
    if (tls == nullptr) return;
    const net::certificate_phase phase = tls->life().phase(now);
    const bool is_over = phase == net::certificate_phase::expired;
    if (!is_over && phase != net::certificate_phase::expires_soon) return;
    const wall_clock::time_point end{std::chrono::seconds{tls->expires_at()}};
    (is_over ? expired : expiring).push_back(tls->certificate_file());
    conditions.hold(
        is_over ? condition_kind::certificate_expired : condition_kind::certificate_expiring,
        tls->certificate_file(), "valid until " + routing::time_text(end));
  };
  for (const listener_settings& listener : of.listeners) {
    look(listener.client_tls.get());
    look(listener.upstream_tls.get());
  }
  look(of.admin.tls.get());
  conditions.clear_all_but(condition_kind::certificate_expired, expired);
  conditions.clear_all_but(condition_kind::certificate_expiring, expiring);
}

}  // namespace scattergate::proxy
