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

/// A cache of judgements, keyed by the message's pattern (routing/pattern/pattern.hpp): an
/// application sends few kinds of messages. It is set-associative: the set is chosen by command
/// and collection or, once these have more than `few` patterns, by the message's outline
/// (routing/pattern/outline_hash.hpp), which costs less than trying more patterns. A full set
/// evicts one of its entries. Memory is bounded and allocated on demand. Thread-safety: the
/// worker's thread.
class verdict_memo {
 public:
  struct entry {
    judgement what;
    telemetry::shape_table::ticket shape;  ///< the place of the messages' shape
    routing::use_mark* use = nullptr;      ///< the collection's use mark, owned by the catalog
    std::unique_ptr<sketch_plan> sketching{};  ///< null: values aren't sketched
    bool may_have_trace = false;  ///< the messages have a comment or a telemetry section
  };

  /// Looks up the judgement of this message's pattern; null if there is none. Valid until
  /// accepts(), keep() or clear().
  [[nodiscard]] const entry* find(std::span<const std::byte> message) const noexcept;

  /// Whether to keep() this message's pattern: always if there is room, otherwise one in 16. So
  /// too many patterns cost little more than no memo.
  [[nodiscard]] bool accepts(std::span<const std::byte> message) noexcept;

  /// Stores a judgement for all messages that `like` matches. REQUIRES: accepts(message).
  void keep(std::span<const std::byte> message, const routing::pattern& like, entry known);

  /// Removes all entries. Call it when the catalog or the rules change.
  void clear() noexcept {
    by_name_ = {};
    by_outline_ = {};
    is_crowded_.reset();
  }

  static constexpr std::size_t few = 4;  ///< patterns of one command on one collection
  static constexpr std::size_t ways = 16;
  static constexpr std::size_t names = 32;       ///< sets by command and collection
  static constexpr std::size_t outlines = 1024;  ///< sets by outline, for crowded ones

 private:
  struct slot {
    routing::pattern like;
    entry known;
  };
  struct way {
    std::uint64_t outline = 0;  ///< 0 in by_name_
    std::unique_ptr<slot> kept;
  };
  /// A hit on the first way touches one cache line.
  struct alignas(64) set {
    std::size_t used = 0;
    std::array<way, ways> kinds;
  };
  using place = std::unique_ptr<set>;

  /// The set of a message, and the outline that its slot must have.
  struct address {
    std::size_t name = 0;  ///< in by_name_
    bool is_crowded = false;
    std::uint64_t outline = 0;  ///< if `is_crowded`; otherwise 0
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
  std::uint32_t rejected_ = 0;
  std::size_t next_victim_ = 0;
};

}  // namespace scattergate::proxy
