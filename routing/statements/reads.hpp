#pragma once

#include "routing/statements/command_options.hpp"
#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// Judges a find, count or distinct by its filter.
[[nodiscard]] statement judge_query(const wire::command& command,
                                    const command_options& options,
                                    const judging_context& context) noexcept;

/// Judges an aggregate, including the collections that its stages join or write to.
[[nodiscard]] statement judge_aggregate(const wire::command& command,
                                        const command_options& options,
                                        const judging_context& context) noexcept;

/// Judges a mapReduce by its filter and its output collection.
[[nodiscard]] statement judge_map_reduce(const wire::command& command,
                                         const command_options& options,
                                         const judging_context& context) noexcept;

}  // namespace scattergate::routing
