#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "proxy/judging/pending_request.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"

namespace scattergate::proxy {

/// What a worker has judged before, by what the messages were like
/// (routing/pattern/pattern.hpp): an application sends few kinds. Kinds are found by the
/// command and its collection; where one of these has more than 16 kinds, by their outline
/// (routing/pattern/outline_hash.hpp). Bounded memory, taken as kinds come: a full set forgets
/// one of its own.
class verdict_memo {
 public:
  struct entry {
    judgement what;
    telemetry::shape_table::ticket shape;  ///< of one like it
    routing::use_mark* use = nullptr;      ///< the catalog's, of the collection
  };

  /// What was made of messages like this one, or null. Valid until accepts(), keep()
  /// or clear().
  [[nodiscard]] const entry* find(std::span<const std::byte> message) const noexcept;

  /// Whether to keep() what a message is like: always where there is room, else now and then,
  /// so that more kinds than there is room for cost little more than with no memo.
  [[nodiscard]] bool accepts(std::span<const std::byte> message) noexcept;

  void keep(std::span<const std::byte> message, const routing::pattern& like,
            const entry& known);

  /// Forgets all: the catalog or the rules are others now.
  void clear() noexcept {
    by_name_ = {};
    by_outline_ = {};
    is_crowded_.reset();
  }

  static constexpr std::size_t ways = 16;
  static constexpr std::size_t names = 32;       ///< sets of commands and collections
  static constexpr std::size_t outlines = 1024;  ///< and of the outlines of crowded ones

 private:
  struct slot {
    routing::pattern like;
    entry known;
  };
  struct set {
    std::array<std::uint64_t, ways> outlines;  // of each slot in use; 0 in by_name_
    std::array<std::unique_ptr<slot>, ways> slots;
    std::size_t used = 0;
  };
  using place = std::unique_ptr<set>;

  /// Where messages like one are kept, and what its slot says of its outline.
  struct address {
    std::size_t name = 0;  ///< in by_name_
    bool is_crowded = false;
    std::uint64_t outline = 0;  ///< where `is_crowded`; else 0
  };
  [[nodiscard]] address address_of(std::span<const std::byte> command) const noexcept;
  [[nodiscard]] const place& at(const address& of) const noexcept {
    return of.is_crowded ? by_outline_[of.outline % outlines] : by_name_[of.name];
  }
  [[nodiscard]] place& at(const address& of) noexcept {
    return of.is_crowded ? by_outline_[of.outline % outlines] : by_name_[of.name];
  }

  std::array<place, names> by_name_;        // each from its first keep() on
  std::bitset<names> is_crowded_;           // these are in by_outline_
  std::array<place, outlines> by_outline_;  // each from its first keep() on
  std::uint32_t turned_away_ = 0;
  std::size_t next_victim_ = 0;
};

}  // namespace scattergate::proxy
