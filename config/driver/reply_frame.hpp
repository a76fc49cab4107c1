#pragma once

#include <cstddef>
#include <span>

#include "text/problem.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

/// Checks of replies that a libmongoc client receives. libmongoc accepts replies that it can't
/// handle: up to 1.24 it writes beyond its buffers, and newer versions still abort the process.
namespace scattergate::config {

/// The size limit of a reply: one document, and its frame.
inline constexpr std::size_t max_reply_bytes = wire::limits::max_document_bytes + 64;

/// Checks whether a message with this header can answer a request with the opCode `asked`: an
/// OP_REPLY for an OP_QUERY, otherwise an OP_MSG.
[[nodiscard]] text::result<void> check_reply_header(
    std::span<const std::byte, wire::limits::header_bytes> header, wire::opcode asked);

/// Checks whether a whole message is a valid reply: an OP_MSG or OP_REPLY of exactly one
/// document, whose nested documents are valid at every depth that servers read. Its login data
/// must not require more work than a driver can do in a second. REQUIRES: its header passed
/// check_reply_header(), and its length matches the header.
[[nodiscard]] text::result<void> check_reply(std::span<const std::byte> message);

}  // namespace scattergate::config
