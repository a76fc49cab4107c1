#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "proxy/judging/inspection.hpp"
#include "proxy/judging/judging_memory.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/judging/verdict_notes.hpp"
#include "proxy/settings.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"

/// When we terminate TLS, mongos sees our certificate on every connection. A client that
/// authenticated by MONGODB-X509 would then become our user, whoever it is. So no message
/// passes that does so, or for which that can't be ruled out.
namespace scattergate::proxy {

/// Whether a request authenticates by MONGODB-X509.
enum class x509_answer : std::uint8_t {
  harmless,   ///< no, whatever follows
  forbidden,  ///< yes, or it doesn't name its mechanism
  unclear,    ///< unknown: an incomplete message, perhaps only so far
};

/// Examines a request of which `start` has arrived; the first few bytes usually suffice.
/// Applies one rule to `authenticate`, `saslStart` and a hello's `speculativeAuthenticate`:
/// they must name a mechanism, other than X.509 in any spelling. A compressed message is
/// unclear; unpack it first.
///
/// Sections whose end is known may precede an OP_MSG's body (wire/op_msg.hpp): kinds 1 and 3,
/// and kind 2 as each version of mongos reads it. Nothing behind any other kind is trusted.
///
/// How mongos finds the command: it is the first field of the only kind-0 section (mongo:
/// rpc/op_msg.cpp), or of an OP_QUERY's document or its `$query` (mongo:
/// rpc/legacy_request.cpp).
[[nodiscard]] x509_answer look_for_x509(const wire::message_header& header,
                                        std::span<const std::byte> start) noexcept;

/// The one place where a worker keeps MONGODB-X509 from mongos.
class x509_guard {
 public:
  /// `memory` is scratch memory for the verdict on a rejected request, which is counted like
  /// any command.
  x509_guard(telemetry::worker_metrics& metrics, request_accounting& accounting, reply_ids& ids,
             verdict_notes& verdicts, judging_memory& memory) noexcept
      : metrics_(metrics),
        accounting_(accounting),
        ids_(ids),
        verdicts_(verdicts),
        memory_(memory) {}

  /// The decision on a request that authenticates by MONGODB-X509; std::nullopt if it doesn't.
  /// `close`: it may, because not all of it has arrived. `unpacking` says why a compressed one
  /// couldn't be unpacked; null if it isn't compressed (any more).
  [[nodiscard]] std::optional<inspection> check_request(const settings& in,
                                                        const request_view& request,
                                                        const wire::wire_errc* unpacking);

 private:
  [[nodiscard]] inspection refuse(const settings& in, const request_view& request);

  telemetry::worker_metrics& metrics_;
  request_accounting& accounting_;
  reply_ids& ids_;
  verdict_notes& verdicts_;
  judging_memory& memory_;
};

}  // namespace scattergate::proxy
