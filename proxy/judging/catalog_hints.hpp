#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "config/cluster/catalog_notes.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"

namespace scattergate::proxy {

/// Reports to a live catalog which commands matter to it: those that change collections or
/// chunks, and those on namespaces that it doesn't list. A small table of recently reported
/// namespaces makes repetitions cheap. Thread-safety: the worker's thread.
class catalog_hints {
 public:
  /// Reports a command's namespace, unless the catalog lists it or it can't be sharded.
  void note_unlisted(const routing::verdict& verdict, config::catalog_notes& to);

  /// Whether a command, if it succeeds, may change what a catalog says.
  [[nodiscard]] static bool may_change_catalog(const routing::verdict& verdict,
                                               std::string_view name) noexcept;

 private:
  std::array<std::size_t, 256> recent_{};  // hashes, at the index derived from each
};

}  // namespace scattergate::proxy
