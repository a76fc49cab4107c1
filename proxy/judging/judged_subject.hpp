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

/// How a command arrived at the inspector.
struct arrival {
  const wire::op_msg* parsed = nullptr;     ///< set if the memo may keep it; else null
  const large_judgement* judged = nullptr;  ///< null: not judged yet
  bool is_abridged = false;                 ///< only its digest was kept
  std::span<const std::byte> digest{};      ///< that digest
};

/// A command and its verdict, as the rules see them: a view of the inspector's current state.
struct judged_subject {
  const std::shared_ptr<const settings>& in;  ///< the settings that it was judged under
  const request_view& request;
  const wire::command& command;
  const routing::verdict& verdict;
  std::string_view comment;
  bool is_abridged;                             ///< some values were dropped from the command
  std::optional<routing::hashed_shape>& shape;  ///< set once a rule or a finding has asked for
                                                ///< it
  std::optional<std::string>& query_shape;  ///< set once asked for; empty string: not certain

  /// The shape; computes it with scratch memory on first use.
  [[nodiscard]] const routing::hashed_shape& shape_by(routing::scratch& memory) const {
    if (!shape) shape = routing::hash_shape(command, memory);
    return *shape;
  }

  /// MongoDB's query shape hash. The only part of judging that allocates for a known command,
  /// and only if a rule asks for it.
  [[nodiscard]] const std::string& query_shape_hash() const {
    if (!query_shape) {
      query_shape =
          is_abridged ? std::string{} : routing::query_shape_hash(command, *in->catalog);
    }
    return *query_shape;
  }
};

}  // namespace scattergate::proxy
