#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "config/cluster/catalog_notes.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"

namespace scattergate::proxy {

/// Notices when the live catalog (the one read from the cluster) may be outdated: reports
/// namespaces that commands use and the catalog doesn't list, and says which commands may
/// change the catalog. A small table of recently reported namespaces makes repetitions cheap.
/// Thread-safety: the worker's thread.
class catalog_hints {
 public:
  /// Reports the namespace of a command to `to`, unless the catalog lists it. Does nothing if
  /// the namespace is in a system database or was reported recently, or if the command isn't
  /// routed to a collection.
  void note_unlisted(const routing::verdict& verdict, config::catalog_notes& to);

  /// Whether a command, if it succeeds, may change the catalog: collections, shard keys or
  /// chunks. `name`: the command's name.
  [[nodiscard]] static bool may_change_catalog(const routing::verdict& verdict,
                                               std::string_view name) noexcept;

 private:
  // Hashes of recently reported namespaces; each is at the index hash % size.
  std::array<std::size_t, 256> recent_{};
};

}  // namespace scattergate::proxy
