#pragma once

#include <optional>
#include <span>
#include <string>

#include "wire/header.hpp"

namespace scattergate::proxy {

/// The replica set's name (`setName`) in the reply to a hello. A name means that the server
/// isn't a mongos. std::nullopt if the reply has no such name or can't be read. `message`: the
/// complete reply.
[[nodiscard]] std::optional<std::string> replica_set_of(const wire::message_header& header,
                                                        std::span<const std::byte> message);

}  // namespace scattergate::proxy
