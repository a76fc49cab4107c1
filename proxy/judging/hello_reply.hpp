#pragma once

#include <optional>
#include <span>
#include <string>

#include "wire/header.hpp"

namespace scattergate::proxy {

/// The replica set that a hello's reply names (`setName`); nothing where it names none, as a
/// mongos's doesn't, or can't be read.
[[nodiscard]] std::optional<std::string> replica_set_of(const wire::message_header& header,
                                                        std::span<const std::byte> message);

}  // namespace scattergate::proxy
