#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "proxy/judging/large_judgement.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/settings.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "wire/command.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {

/// How a command reached the inspector: in a complete message, streamed, or judged by another
/// thread.
struct arrival {
  /// The parsed message, if the verdict_memo (a cache) may store its judgement; otherwise
  /// null.
  const wire::op_msg* parsed = nullptr;
  const large_judgement* judged = nullptr;  ///< the judgement by another thread; null: there is
                                            ///< none
  bool is_abridged = false;  ///< the message was forwarded while it arrived (streamed), so
                             ///< only parts of it were kept; see wire::message_digest
  /// The kept parts of a streamed message; otherwise empty.
  std::span<const std::byte> digest{};
};

/// A command with its verdict in one namespace, as rules match it. A view of the inspector's
/// state, valid until the next command is judged.
struct judged_subject {
  const std::shared_ptr<const settings>& in;  ///< the settings by which the command was judged
  const request_view& request;                ///< the message that contains the command
  const wire::command& command;
  const routing::verdict& verdict;  ///< the command's verdict, in the namespace that rules
                                    ///< match
  std::string_view comment;         ///< the command's comment; empty if rules don't need it
  bool is_abridged;                 ///< the message was streamed, so some values are missing
  std::optional<routing::hashed_shape>& shape;  ///< computed on first use
  std::optional<std::string>& query_shape;  ///< computed on first use; empty string: unknown

  /// The command's shape, computed on first use. `memory`: scratch memory for the computation;
  /// the shape points into this memory.
  [[nodiscard]] const routing::hashed_shape& shape_by(routing::scratch& memory) const {
    if (!shape) shape = routing::hash_shape(command, memory);
    return *shape;
  }

  /// MongoDB's query shape hash of the command, computed on first use; empty if it can't be
  /// determined. The first use allocates. No other part of judging allocates for a command
  /// whose shape is known.
  [[nodiscard]] const std::string& query_shape_hash() const {
    if (!query_shape) {
      query_shape =
          is_abridged ? std::string{} : routing::query_shape_hash(command, *in->catalog);
    }
    return *query_shape;
  }
};

}  // namespace scattergate::proxy
