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

/// The way a command reached the inspector.
struct arrival {
  const wire::op_msg* parsed =
      nullptr;  ///< set if the memo may store its judgement; otherwise null
  const large_judgement* judged = nullptr;  ///< null: not judged yet
  bool is_abridged = false;             ///< it was streamed, and only a digest of it remains
  std::span<const std::byte> digest{};  ///< that digest
};

/// A command with its verdict, as rules match it. A view of the inspector's current state.
struct judged_subject {
  const std::shared_ptr<const settings>& in;  ///< the settings that it was judged under
  const request_view& request;
  const wire::command& command;
  const routing::verdict& verdict;
  std::string_view comment;
  bool is_abridged;                             ///< some of the command's values are missing
  std::optional<routing::hashed_shape>& shape;  ///< computed on first use
  std::optional<std::string>& query_shape;      ///< computed on first use; empty string: not
                                                ///< certain

  /// The shape, computed on first use. `memory`: scratch memory for that.
  [[nodiscard]] const routing::hashed_shape& shape_by(routing::scratch& memory) const {
    if (!shape) shape = routing::hash_shape(command, memory);
    return *shape;
  }

  /// MongoDB's query shape hash, computed on first use. Allocates; the only part of judging
  /// that does so for a known command.
  [[nodiscard]] const std::string& query_shape_hash() const {
    if (!query_shape) {
      query_shape =
          is_abridged ? std::string{} : routing::query_shape_hash(command, *in->catalog);
    }
    return *query_shape;
  }
};

}  // namespace scattergate::proxy
