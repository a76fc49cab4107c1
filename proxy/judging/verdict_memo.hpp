#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "proxy/judging/pending_request.hpp"
#include "proxy/sketching/sketch_plan.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"

namespace scattergate::proxy {

/// Remembers judgements by the pattern of the message (routing/pattern/pattern.hpp), because an
/// application sends few kinds of messages. Kinds are looked up by command and collection; if
/// one of these has more than 16 kinds, by their outline (routing/pattern/outline_hash.hpp).
/// Memory is bounded and allocated on demand; a full set evicts one of its own.
class verdict_memo {
 public:
  struct entry {
    judgement what;
    telemetry::shape_table::ticket shape;      ///< of similar messages
    routing::use_mark* use = nullptr;          ///< the collection's, owned by the catalog
    std::unique_ptr<sketch_plan> sketching{};  ///< null: values aren't sketched
  };

  /// The judgement of messages with this one's pattern, or null. Valid until accepts(), keep()
  /// or clear().
  [[nodiscard]] const entry* find(std::span<const std::byte> message) const noexcept;

  /// Whether to keep() this message's pattern: always if there is room, otherwise now and then,
  /// so that more kinds than fit cost little more than no memo.
  [[nodiscard]] bool accepts(std::span<const std::byte> message) noexcept;

  void keep(std::span<const std::byte> message, const routing::pattern& like, entry known);

  /// Forgets everything, because the catalog or the rules have changed.
  void clear() noexcept {
    by_name_ = {};
    by_outline_ = {};
    is_crowded_.reset();
  }

  static constexpr std::size_t ways = 16;
  static constexpr std::size_t names = 32;       ///< sets by command and collection
  static constexpr std::size_t outlines = 1024;  ///< sets by outline, for crowded ones

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

  /// The location of messages like one, and the outline that their slot must have.
  struct address {
    std::size_t name = 0;  ///< in by_name_
    bool is_crowded = false;
    std::uint64_t outline = 0;  ///< if `is_crowded`; else 0
  };
  [[nodiscard]] address address_of(std::span<const std::byte> command) const noexcept;
  [[nodiscard]] const place& at(const address& of) const noexcept {
    return of.is_crowded ? by_outline_[of.outline % outlines] : by_name_[of.name];
  }
  [[nodiscard]] place& at(const address& of) noexcept {
    return of.is_crowded ? by_outline_[of.outline % outlines] : by_name_[of.name];
  }

  std::array<place, names> by_name_;        // each allocated by its first keep()
  std::bitset<names> is_crowded_;           // these are in by_outline_
  std::array<place, outlines> by_outline_;  // each allocated by its first keep()
  std::uint32_t turned_away_ = 0;
  std::size_t next_victim_ = 0;
};

}  // namespace scattergate::proxy
