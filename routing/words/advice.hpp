#pragma once

#include <cstdint>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"
#include "routing/words/question.hpp"

namespace scattergate::routing {

/// The remedy for a command that asks more shards than necessary.
enum class remedy : std::uint8_t {
  none,              ///< nothing to do, or a filter wouldn't matter
  accept,            ///< no filter helps: every shard has a part of the result
  equality,          ///< give `fields` by equality
  simple_collation,  ///< compare strings byte by byte, and give `fields` by equality
  join_by_key,       ///< the stage that joins or writes must name the key
};

struct advice {
  remedy what = remedy::none;
  key_field_set fields{};  ///< positions in the key of verdict::judged
};

/// How to change a command so that it goes to fewer shards, or is no longer refused. Allocates.
[[nodiscard]] advice advice_of(const verdict& verdict, const question& asked);

}  // namespace scattergate::routing
