#pragma once

#include <cstdint>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"
#include "routing/words/question.hpp"

namespace scattergate::routing {

/// A change that makes a command ask fewer shards.
enum class remedy : std::uint8_t {
  none,              ///< nothing to do, or a filter wouldn't help
  accept,            ///< no filter helps: every shard has a part of the result
  equality,          ///< give `fields` by equality
  simple_collation,  ///< compare strings byte by byte, and give `fields` by equality
  join_by_key,       ///< the stage that joins or writes must name the key
};

struct advice {
  remedy what = remedy::none;
  key_field_set fields{};  ///< positions in the key of verdict::judged
};

/// The change to a command with which it asks fewer shards, or mongos doesn't reject it.
/// Allocates.
[[nodiscard]] advice advice_of(const verdict& verdict, const question& asked);

}  // namespace scattergate::routing
