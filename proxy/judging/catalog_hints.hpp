#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "config/cluster/catalog_notes.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"

namespace scattergate::proxy {

/// Reports namespaces that commands use and the live catalog (the one read from the cluster)
/// doesn't list. A small table of recently reported namespaces makes repetitions cheap. This
/// class also says which commands may change the catalog. Thread-safety: the worker's thread.
class catalog_hints {
 public:
  /// Reports the namespace of a command to `to`. Does nothing if the catalog lists the
  /// namespace, if it is in a system database, if the command isn't routed to a collection, or
  /// if the namespace was reported recently.
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
