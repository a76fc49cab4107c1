#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "proxy/judging/pending_request.hpp"
#include "proxy/sketching/sketch_notes.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/pattern/pattern.hpp"

namespace scattergate::proxy {

/// A cache of judgements (the results of judging commands) by message pattern. Messages with
/// one pattern differ only in literals, and have the same judgement
/// (routing/pattern/pattern.hpp). An application's messages have few patterns, so most of them
/// needn't be judged.
///
/// The cache is set-associative: a message is compared only with the patterns in one set. At
/// first, the message's command and collection choose the set. Once this set has four patterns
/// (verdict_memo::few), it is removed. From then on, the message's outline
/// (routing::outline_hash()) chooses the set. Hashing the outline costs less than
/// comparing more patterns. A full set evicts one of its entries. Memory is bounded, and
/// allocated on demand.
///
/// Thread-safety: the worker's thread.
class verdict_memo {
 public:
  /// The judgement of all messages with one pattern.
  struct entry {
    judgement what;                        ///< the result of judging
    telemetry::shape_table::ticket shape;  ///< the shape's place in the shape_table
    routing::use_mark* use = nullptr;      ///< where a command notes that the collection is in
                                           ///< use; owned by the catalog, null if the catalog
                                           ///< doesn't list the collection
    std::unique_ptr<sketch_plan> sketching{};  ///< where the values to sketch are; null: none
                                               ///< are
    bool may_have_trace = false;  ///< whether the message that was judged had a comment or a
                                  ///< telemetry section
  };

  /// Looks up the judgement of this message's pattern; null if there is none. The result is
  /// valid until accepts(), keep() or clear().
  [[nodiscard]] const entry* find(std::span<const std::byte> message) const noexcept;

  /// Whether the caller should keep() this message's pattern. True if the pattern's set has
  /// room. For full sets, true once in 16 calls, so that too many patterns cost little more
  /// than no cache. False if the message is too short to contain a command. If the set that
  /// command and collection choose has `few` patterns, removes that set first.
  [[nodiscard]] bool accepts(std::span<const std::byte> message) noexcept;

  /// Stores a judgement for all messages that `its_pattern` matches. REQUIRES:
  /// accepts(message) returned true.
  void keep(std::span<const std::byte> message, const routing::pattern& its_pattern,
            entry known);

  /// Removes all entries. Call it when the catalog or the rules change.
  void clear() noexcept {
    by_name_ = {};
    by_outline_ = {};
    is_crowded_.reset();
  }

  static constexpr std::size_t few = 4;    ///< maximum number of patterns in a set that command
                                           ///< and collection choose (the set's limit)
  static constexpr std::size_t ways = 16;  ///< maximum number of patterns in any set
  static constexpr std::size_t names = 32;       ///< number of sets by command and collection
  static constexpr std::size_t outlines = 1024;  ///< number of sets by outline

 private:
  /// `like` is last and the slot is aligned, so that a hit touches only the cache lines of
  /// `known` and of the used beginning of `like`.
  struct alignas(64) slot {
    entry known;
    routing::pattern like;
  };
  struct way {
    std::uint64_t outline = 0;   ///< the messages' outline hash; 0 in by_name_
    std::unique_ptr<slot> kept;  ///< null: unused
  };
  /// Aligned so that a hit on the first way touches one cache line of the set.
  struct alignas(64) set {
    std::size_t used = 0;  ///< number of ways in use
    std::array<way, ways> kinds;
  };
  using place = std::unique_ptr<set>;

  /// Where a message's pattern belongs: the set, and the outline of the way.
  struct address {
    std::size_t name = 0;       ///< index in by_name_, and in is_crowded_
    bool is_crowded = false;    ///< the set is in by_outline_, otherwise in by_name_
    std::uint64_t outline = 0;  ///< the message's outline hash if `is_crowded`, otherwise 0
  };
  [[nodiscard]] address address_of(std::span<const std::byte> command) const noexcept;
  [[nodiscard]] const place& at(const address& of) const noexcept {
    return of.is_crowded ? by_outline_[of.outline % outlines] : by_name_[of.name];
  }
  [[nodiscard]] place& at(const address& of) noexcept {
    return of.is_crowded ? by_outline_[of.outline % outlines] : by_name_[of.name];
  }

  std::array<place, names> by_name_;        // null: the set is empty or crowded
  std::bitset<names> is_crowded_;           // by index in by_name_: the set's patterns are in
                                            // by_outline_ instead
  std::array<place, outlines> by_outline_;  // null: empty
  std::uint32_t rejected_ = 0;              // accepts() calls for messages of full sets
  std::size_t next_victim_ = 0;             // counts evictions; chooses the way to evict
};

}  // namespace scattergate::proxy
