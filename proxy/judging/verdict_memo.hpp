#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "proxy/judging/pending_request.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"

namespace scattergate::proxy {

/// What a worker has judged before, by what the messages were like
/// (routing/pattern/pattern.hpp): an application sends few kinds. Fixed memory: the kinds of
/// one command on one collection share a set, and a full set forgets one of its own.
class verdict_memo {
 public:
  struct entry {
    judgement what;
    telemetry::shape_table::ticket shape;  ///< of one like it
    routing::use_mark* use = nullptr;      ///< the catalog's, of the collection
  };

  /// What was made of messages like this one, or null. Valid until keep() or clear().
  [[nodiscard]] const entry* find(std::span<const std::byte> message) const noexcept;

  /// Whether to keep() what a message is like: always where there is room, else now and then,
  /// so that more kinds than there is room for cost little more than with no memo.
  [[nodiscard]] bool accepts(std::span<const std::byte> message) noexcept;

  void keep(std::span<const std::byte> message, const routing::pattern& like,
            const entry& known);

  /// Forgets all: the catalog or the rules are others now.
  void clear() noexcept { sets_ = {}; }

  static constexpr std::size_t ways = 16;

 private:
  struct slot {
    routing::pattern like;
    entry known;
  };
  struct set {
    std::array<slot, ways> slots;
    std::size_t used = 0;
  };
  static constexpr std::size_t set_count = 32;

  std::array<std::unique_ptr<set>, set_count> sets_;  // each from its first keep() on
  std::uint32_t turned_away_ = 0;
  std::size_t next_victim_ = 0;
};

}  // namespace scattergate::proxy
