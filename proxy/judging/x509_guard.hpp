#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "proxy/judging/long_work.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/judging/verdict_notes.hpp"
#include "proxy/settings.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"

/// Keeps clients from authenticating by MONGODB-X509 where scattergate terminates TLS. There,
/// mongos sees scattergate's certificate on every connection, so such a client would get
/// scattergate's user. Messages that authenticate by MONGODB-X509, or may do so, aren't
/// forwarded.
namespace scattergate::proxy {

/// Whether a request authenticates by MONGODB-X509.
enum class x509_answer : std::uint8_t {
  harmless,   ///< the request doesn't use MONGODB-X509, regardless of the bytes that follow
  forbidden,  ///< the request uses MONGODB-X509, or authenticates without naming a mechanism
  unclear,    ///< too few bytes have arrived, or the request can't be interpreted
};

/// Examines a request. `start`: the part that has arrived; a few bytes usually suffice.
/// `authenticate`, `saslStart` and a hello's `speculativeAuthenticate` are harmless only if
/// they name a mechanism, and its name doesn't contain "x509" (in upper or lower case). A
/// compressed message is `unclear`; decompress it first.
///
/// In an OP_MSG, sections of kinds 1, 2 and 3 may precede the body (wire/op_msg.hpp). Versions
/// of mongos differ in where a section of kind 2 ends, so both readings are examined. The
/// result is `unclear` if a section of another kind precedes the body.
///
/// mongos takes the command from the first field of the only kind-0 section (mongo:
/// rpc/op_msg.cpp), or of an OP_QUERY's document or its `$query` (mongo:
/// rpc/legacy_request.cpp).
[[nodiscard]] x509_answer look_for_x509(const wire::message_header& header,
                                        std::span<const std::byte> start) noexcept;

/// Rejects a worker's requests that authenticate by MONGODB-X509. Thread-safety: the worker's
/// thread.
class x509_guard {
 public:
  /// `memory`: scratch memory for the verdict on a rejected request, which is counted like any
  /// command.
  x509_guard(telemetry::worker_metrics& metrics, request_accounting& accounting, reply_ids& ids,
             verdict_notes& verdicts, judging_memory& memory) noexcept
      : metrics_(metrics),
        accounting_(accounting),
        ids_(ids),
        verdicts_(verdicts),
        memory_(memory) {}

  /// Decides on a request. The decision is `drop` if the request authenticates by MONGODB-X509,
  /// and `close` if it may do so. std::nullopt for any other request. If the request is
  /// incomplete and the decision is `close`, call this function again with more bytes before
  /// closing. `unpacking`: why a compressed request couldn't be decompressed; null if it was
  /// decompressed, or isn't compressed.
  [[nodiscard]] std::optional<inspection> check_request(const settings& current,
                                                        const request_view& request,
                                                        const wire::wire_errc* unpacking);

 private:
  [[nodiscard]] inspection refuse(const settings& current, const request_view& request);

  telemetry::worker_metrics& metrics_;
  request_accounting& accounting_;
  reply_ids& ids_;
  verdict_notes& verdicts_;
  judging_memory& memory_;
};

}  // namespace scattergate::proxy
