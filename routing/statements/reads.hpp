#pragma once

#include "routing/statements/command_options.hpp"
#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// Judges a find, count or distinct by its filter.
[[nodiscard]] statement judge_query(const wire::command& command,
                                    const command_options& options,
                                    const judging_context& context) noexcept;

/// The collection that a filemd5 reads: "<root>.chunks" of GridFS, "fs.chunks" by default.
/// `collection` is empty if `memory`, which gets the name, is exhausted.
[[nodiscard]] wire::namespace_view chunks_of_file(const wire::command& command,
                                                  scratch& memory) noexcept;

/// Judges a filemd5 like a find by `files_id`. mongos rejects it if the key is neither
/// {files_id: 1} nor {files_id: 1, n: 1} (mongo: cluster_filemd5_cmd.cpp, in all versions up to
/// 9.0).
[[nodiscard]] statement judge_filemd5(const wire::command& command,
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
