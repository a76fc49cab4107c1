#include "proxy/standing_limits.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/log/log.hpp"
#include "text/time_text.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::condition_kind;
using wall_clock = std::chrono::system_clock;

/// Raises a condition while the operational log can't be written, and counts the lost lines in
/// `facts`.
void check_log(telemetry::condition_board& conditions, telemetry::daemon_facts& facts) {
  namespace log = telemetry::log;
  log::write_again();
  const log::log_file::state now = log::writing();
  facts.log_lines_lost = now.lost_lines;
  if (!now.lost_by) return conditions.clear_all_but(condition_kind::log_failing, {});
  const std::string file = log::file();
  conditions.hold(condition_kind::log_failing, file == "-" ? "standard error" : file,
                  now.lost_by->what);
}

}  // namespace

void standing_limits::check_all(const counted& parts) {
  check_log(conditions_, parts.metrics.facts());
  check("limits.memory",
        "too little memory is left: messages are forwarded unread, or fewer shapes are counted",
        parts.memory.refusals());
  check("audit.max_shapes", "further query shapes share the audit line __other__",
        parts.audit.totals().overflow);
  check("metrics.max_namespaces", "further collections share the metric label __other__",
        parts.metrics.namespace_overflow());
  check("cursors", "cursors are evicted; their getMores count as unknown",
        parts.metrics.facts().cursors_evicted);
  check("admin connections", "a connection was closed to make room for another",
        parts.admin.guests_cut());
}

void standing_limits::check(std::string_view name, std::string_view what,
                            std::uint64_t reached) {
  const std::uint64_t before = std::exchange(seen_[name], reached);
  if (reached <= before) return;
  conditions_.raise(condition_kind::limit_reached, name, what, reached - before);
}

std::int64_t certificate_end(const net::tls_context* of) noexcept {
  return of != nullptr ? of->expires_at() : 0;
}

void show_certificate_ends(const listener_settings& of, telemetry::listener_facts& to) {
  to.certificate_expires_at = certificate_end(of.client_tls.get());
  to.upstream_certificate_expires_at = certificate_end(of.upstream_tls.get());
}

void check_certificates(const settings& of, const std::vector<std::string>& listeners,
                        wall_clock::time_point now, telemetry::condition_board& conditions) {
  using telemetry::condition_subject;
  std::vector<condition_subject> expired;
  std::vector<condition_subject> expiring;
  const auto check = [&](const net::tls_context* tls, std::string_view listener) {
    if (tls == nullptr) return;
    const net::certificate_phase phase = tls->life().phase(now);
    const bool is_over = phase == net::certificate_phase::expired;
    if (!is_over && phase != net::certificate_phase::expires_soon) return;
    const wall_clock::time_point end{std::chrono::seconds{tls->expires_at()}};
    const condition_subject subject{tls->certificate_file(), listener};
    (is_over ? expired : expiring).push_back(subject);
    conditions.hold(
        is_over ? condition_kind::certificate_expired : condition_kind::certificate_expiring,
        subject, "valid until " + text::time_text(end));
  };
  for (std::size_t i = 0; i < of.listeners.size(); ++i) {
    check(of.listeners[i].client_tls.get(), listeners[i]);
    check(of.listeners[i].upstream_tls.get(), listeners[i]);
  }
  check(of.admin.tls.get(), {});
  conditions.clear_all_but(condition_kind::certificate_expired, expired);
  conditions.clear_all_but(condition_kind::certificate_expiring, expiring);
}

}  // namespace scattergate::proxy
