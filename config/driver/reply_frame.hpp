#pragma once

#include <cstddef>
#include <span>

#include "text/problem.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

/// Checks the replies that a libmongoc client receives, because libmongoc accepts replies that
/// it can't handle: up to 1.24 it writes beyond its buffers, and newer versions still abort the
/// process.
namespace scattergate::config {

/// The size limit of a reply, in bytes: the largest document, and the message's other parts.
inline constexpr std::size_t max_reply_bytes = wire::limits::max_document_bytes + 64;

/// Checks whether a message with this header can answer a request with the opCode `asked`. It
/// must be an OP_REPLY for an OP_QUERY, otherwise an OP_MSG, and at most max_reply_bytes long.
/// Returns a problem if it can't.
[[nodiscard]] text::result<void> check_reply_header(
    std::span<const std::byte, wire::limits::header_bytes> header, wire::opcode asked);

/// Checks whether a whole message is a valid reply, and returns a problem if not. REQUIRES: the
/// message's header passed check_reply_header(), and its length matches the header. The checks:
/// - It is an OP_MSG or OP_REPLY of exactly one document, whose nested documents are valid at
///   every depth that servers read.
/// - Error codes are positive int32 numbers, because libmongoc aborts the process on others.
/// - A SCRAM challenge doesn't repeat an attribute, and requests at most a million hash
///   iterations (about a second of a driver's time).
[[nodiscard]] text::result<void> check_reply(std::span<const std::byte> message);

}  // namespace scattergate::config
