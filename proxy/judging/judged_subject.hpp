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

/// How a command came to the inspector.
struct arrival {
  const wire::op_msg* parsed = nullptr;     ///< the memo may keep it; null: it may not
  const large_judgement* judged = nullptr;  ///< null: it is still to be judged
  bool is_abridged = false;                 ///< as a digest
  std::span<const std::byte> digest{};      ///< that one
};

/// A command that the rules are asked about, with its verdict: a view of what the inspector
/// has in hand.
struct judged_subject {
  const std::shared_ptr<const settings>& in;  ///< judged under these
  const request_view& request;
  const wire::command& command;
  const routing::verdict& verdict;
  std::string_view comment;
  bool is_abridged;                             ///< values have been left out of the command
  std::optional<routing::hashed_shape>& shape;  ///< once a rule or a finding has asked for it
  std::optional<std::string>& query_shape;      ///< once asked for; empty: not certain

  /// The shape, made with lent memory where it isn't there yet.
  [[nodiscard]] const routing::hashed_shape& shape_by(routing::scratch& memory) const {
    if (!shape) shape = routing::hash_shape(command, memory);
    return *shape;
  }

  /// MongoDB's own hash of the shape. The one thing of judging that allocates for a command
  /// that isn't new, where a rule asks for it.
  [[nodiscard]] const std::string& query_shape_hash() const {
    if (!query_shape) {
      query_shape =
          is_abridged ? std::string{} : routing::query_shape_hash(command, *in->catalog);
    }
    return *query_shape;
  }
};

}  // namespace scattergate::proxy
