#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "telemetry/audit/finding.hpp"

namespace scattergate::telemetry {

/// Finds a finding's position by its key, without allocating.
/// Thread-safety: one thread writes; readers only while nobody does.
class finding_index {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(const finding_key& key) const noexcept;

  /// `details` must outlive the index: they hold the key's texts.
  void insert(const finding_details& details, std::uint32_t position);

  /// Lets go of `old`, in favour of `details` with the same key.
  void replace(const finding_details& old, const finding_details& details);

  /// What `details` tell of is elsewhere now.
  void move(const finding_details& details, std::uint32_t position);

  /// Lets go of `details`, which may end then.
  void erase(const finding_details& details);

 private:
  struct hash {
    std::size_t operator()(const finding_key& key) const noexcept;
  };
  struct equal {
    bool operator()(const finding_key& a, const finding_key& b) const noexcept;
  };
  std::unordered_map<finding_key, std::uint32_t, hash, equal> positions_;
};

}  // namespace scattergate::telemetry
