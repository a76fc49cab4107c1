#pragma once

#include <cstdint>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"
#include "routing/words/question.hpp"

namespace scattergate::routing {

/// What can be done about a command that asks more shards than it needs.
enum class remedy : std::uint8_t {
  none,              ///< nothing, or a filter has no part in it
  accept,            ///< no filter helps: what it asks for is on every shard
  equality,          ///< give `fields` by equality
  simple_collation,  ///< compare strings byte by byte, and give `fields` by equality
  join_by_key,       ///< the stage that joins or writes has to name the key
};

struct advice {
  remedy what = remedy::none;
  key_field_set fields{};  ///< of the key of verdict::judged
};

/// What to do: a command that is changed so goes to fewer shards, or isn't refused any more.
/// Allocates.
[[nodiscard]] advice advice_of(const verdict& verdict, const question& asked);

}  // namespace scattergate::routing
