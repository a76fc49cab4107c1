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

/// Where we terminate TLS, mongos sees our certificate on every connection. Were a client to
/// authenticate by MONGODB-X509 there, it would become our user, whoever it is; so no message
/// that does may pass, and none of which it can't be told whether it does.
namespace scattergate::proxy {

/// Whether a request authenticates by MONGODB-X509.
enum class x509_answer : std::uint8_t {
  harmless,   ///< it doesn't, whatever follows
  forbidden,  ///< it does, or doesn't say by what it authenticates
  unclear,    ///< can't be told: of a message that hasn't come whole, perhaps yet
};

/// Looks at a request, of which `start` is what has arrived; most are told by their first few
/// bytes. Asks the same of `authenticate`, `saslStart` and a hello's `speculativeAuthenticate`:
/// to name one mechanism that isn't X.509's, in whatever spelling. A compressed message is
/// unclear; it must have been unpacked.
///
/// Before an OP_MSG's body there may be sections whose end is known (wire/op_msg.hpp): of kind
/// 1 and 3, and of kind 2 as each version of mongos reads it. Behind any other kind nothing is
/// believed.
///
/// What mongos makes of a message: the first field of its only kind-0 section is the command
/// (mongo: rpc/op_msg.cpp), or of an OP_QUERY's document, out of its `$query` (mongo:
/// rpc/legacy_request.cpp).
[[nodiscard]] x509_answer look_for_x509(const wire::message_header& header,
                                        std::span<const std::byte> start) noexcept;

/// The one place where a worker keeps MONGODB-X509 from mongos.
class x509_guard {
 public:
  /// `memory` is lent for the verdict on what is refused, which is counted as any command.
  x509_guard(telemetry::worker_metrics& metrics, request_accounting& accounting, reply_ids& ids,
             verdict_notes& verdicts, judging_memory& memory) noexcept
      : metrics_(metrics),
        accounting_(accounting),
        ids_(ids),
        verdicts_(verdicts),
        memory_(memory) {}

  /// What becomes of a request that authenticates by MONGODB-X509; nothing where it doesn't.
  /// `close` says that it may, of what hasn't all arrived: as yet. `unpacking` says why a
  /// compressed one couldn't be unpacked, and is null for what isn't compressed any more.
  [[nodiscard]] std::optional<inspection> look_at(const settings& in,
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
