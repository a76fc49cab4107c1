#pragma once

#include <cstddef>
#include <span>

#include "text/problem.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

/// What a server may reply to a command of ours. libmongoc takes more for a reply than it can
/// read: up to 1.24 it writes beyond its buffers, and newer ones still end the process, for
/// what is none.
namespace scattergate::config {

/// One document, and what stands around it.
inline constexpr std::size_t max_reply_bytes = wire::limits::max_document_bytes + 64;

/// Whether a message with this header can be the reply to a request with this opCode: an
/// OP_REPLY to an OP_QUERY, else an OP_MSG.
[[nodiscard]] text::result<void> check_reply_header(
    std::span<const std::byte, wire::limits::header_bytes> header, wire::opcode asked);

/// Whether a whole message is a reply: an OP_MSG or OP_REPLY of exactly one document, whose
/// nested documents are sound to any depth that servers read, and whose login, where it has a
/// part of one, asks for what a driver can do at once.
/// REQUIRES: its header may begin a reply, and it is as long as that says.
[[nodiscard]] text::result<void> check_reply(std::span<const std::byte> message);

}  // namespace scattergate::config
