#pragma once

#include <cstddef>

#include "config/cluster/chunk_set.hpp"
#include "config/cluster/config_records.hpp"
#include "routing/catalog/catalog.hpp"

/// The approximate memory of a record of the database `config`, in bytes: exact enough to limit
/// how much a server can make this process store.
namespace scattergate::config {

[[nodiscard]] std::size_t memory_of(const routing::collection& entry) noexcept;
[[nodiscard]] std::size_t memory_of(const collection_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const view_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const shard_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const database_record& record) noexcept;
[[nodiscard]] std::size_t memory_of(const chunk_update& chunk) noexcept;

}  // namespace scattergate::config
