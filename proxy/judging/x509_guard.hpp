#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// The same of a compressed message that couldn't be unpacked because of `error`.
[[nodiscard]] x509_answer look_for_x509_in_packed(wire::wire_errc error) noexcept;

/// The reply to a forbidden request, in the framing of the request: AuthenticationFailed.
[[nodiscard]] std::vector<std::byte> x509_refusal_of(const wire::message_header& request,
                                                     std::int32_t request_id);

}  // namespace scattergate::proxy
