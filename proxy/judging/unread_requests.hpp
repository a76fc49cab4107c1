#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/rule_decisions.hpp"
#include "proxy/judging/throttling.hpp"
#include "proxy/policy.hpp"
#include "proxy/settings.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "wire/error.hpp"

namespace scattergate::proxy {

/// A message that couldn't be read, because it has a section of unknown kind, and that a rule
/// therefore rejected or throttled. The client's driver may be newer than this version of
/// scattergate.
struct refused_section {
  std::string peer;  ///< the client's address
  std::string rule;  ///< the rule's name
};

/// Decides on requests that can't be read, and on requests that aren't read because inspection
/// is off.
class unread_requests {
 public:
  unread_requests(telemetry::worker_metrics& metrics, telemetry::shape_table& shapes,
                  request_accounting& accounting, reply_ids& ids, rule_decisions& rules,
                  throttling& throttling) noexcept
      : metrics_(metrics),
        shapes_(shapes),
        accounting_(accounting),
        ids_(ids),
        rules_(rules),
        throttling_(throttling) {}

  /// Decides on a request that can't be read because of `error`. If a rule that rejects or
  /// throttles could match the request, applies the strictest of these rules. Otherwise
  /// forwards the request. If limits.memory has no room for the request (too_large), these
  /// rules apply only if the option on_uninspected is `reject`. Counts the request as a finding
  /// (a command to report).
  [[nodiscard]] inspection pass(const std::shared_ptr<const settings>& current,
                                const request_view& request, wire::wire_errc error) {
    // legacy_opcode: the message contains no command, so it can't authenticate.
    return decide(current, request, error, error != wire::wire_errc::legacy_opcode);
  }
  /// Decides on a request that can't be read, but certainly doesn't authenticate the client.
  /// Its reply can't change the client's identity. Otherwise the decision is that of pass().
  [[nodiscard]] inspection pass_no_login(const std::shared_ptr<const settings>& current,
                                         const request_view& request, wire::wire_errc error) {
    return decide(current, request, error, false);
  }

  /// Whether a request that can't be read because of `error` must not reach mongos, whatever
  /// the rules say, and even if inspection is off. True for an OP_QUERY, compressed or not,
  /// with hidden arguments, or that couldn't be held or decompressed to look for them: mongos
  /// could read another command than scattergate, such as a login.
  [[nodiscard]] static bool must_not_pass(const request_view& request,
                                          wire::wire_errc error) noexcept;
  /// Rejects a request for which must_not_pass() is true, while inspection is off. Counts it as
  /// uninspected, but not as a finding.
  [[nodiscard]] inspection refuse(const request_view& request, wire::wire_errc error);

  /// The decision to forward a request while inspection is off. REQUIRES: if the request is an
  /// OP_MSG, its flags have arrived.
  [[nodiscard]] inspection relay(const request_view& request);

  /// Returns and clears the last refused_section: a message that a rule rejected or throttled.
  /// std::nullopt if there was none since the last call.
  [[nodiscard]] std::optional<refused_section> take_refused_section() {
    return std::exchange(refused_section_, std::nullopt);
  }

 private:
  [[nodiscard]] inspection decide(const std::shared_ptr<const settings>& current,
                                  const request_view& request, wire::wire_errc error,
                                  bool may_be_login);
  [[nodiscard]] inspection reject(const request_view& request, wire::wire_errc error,
                                  const config::rule* rule,
                                  std::unique_ptr<pending_request> pending);
  [[nodiscard]] strict_rules rules_for(const settings& current, const request_view& request,
                                       wire::wire_errc error) const;
  void note(wire::wire_errc error, const strict_rules& rules,
            telemetry::finding_action otherwise, clock::time_point now,
            pending_request& pending);
  void note_shape(wire::wire_errc error, const config::rule* rule, pending_request& pending);

  telemetry::worker_metrics& metrics_;
  telemetry::shape_table& shapes_;
  request_accounting& accounting_;
  reply_ids& ids_;
  rule_decisions& rules_;
  proxy::throttling& throttling_;
  std::optional<refused_section> refused_section_;
};

}  // namespace scattergate::proxy
