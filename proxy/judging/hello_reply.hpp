#pragma once

#include <optional>
#include <span>
#include <string>

#include "wire/header.hpp"

namespace scattergate::proxy {

/// The replica set in the reply to a hello (`setName`). std::nullopt if there is none, as from
/// a mongos, or if the reply can't be read.
[[nodiscard]] std::optional<std::string> replica_set_of(const wire::message_header& header,
                                                        std::span<const std::byte> message);

}  // namespace scattergate::proxy
