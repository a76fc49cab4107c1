#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "config/cluster/catalog_notes.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"

namespace scattergate::proxy {

/// What of a worker's commands a live catalog should know: those that change collections or
/// chunks, and namespaces that it doesn't list. A namespace that was just noted isn't noted
/// again, so that it costs a look into a small table.
class catalog_hints {
 public:
  /// Notes the namespace of a command, unless the catalog lists it or nothing can shard it.
  void note_unlisted(const routing::verdict& verdict, config::catalog_notes& to);

  /// Whether a command, if it succeeds, may change what a catalog says.
  [[nodiscard]] static bool may_change_catalog(const routing::verdict& verdict,
                                               std::string_view name) noexcept;

 private:
  std::array<std::size_t, 256> recent_{};  // hashes, each at the place that it names
};

}  // namespace scattergate::proxy
