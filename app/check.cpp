#include <cstdio>
#include <stdexcept>

#include "app/subcommands.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {
namespace {

using net::tls_context;

// Adds what `make` throws, as a problem of the value that is called `name`.
template <typename Make>
void try_out(const config::origins& from, const std::string& name, Make make,
             std::vector<config::problem>& problems) {
  try {
    static_cast<void>(make());
  } catch (const std::runtime_error& unusable) {
    problems.push_back({from.of(name), unusable.what()});
  }
}

// Certificates and keys that can be read and yet not be used.
std::vector<config::problem> check_certificates(const config::loaded_options& loaded) {
  std::vector<config::problem> found;
  for (std::size_t i = 0; i < loaded.value.listeners.size(); ++i) {
    const config::listener_options& one = loaded.value.listeners[i];
    const std::string name = config::name_of_listener(i);
    if (one.tls) {
      try_out(
          loaded.from, name + ".tls", [&] { return tls_context::for_clients(*one.tls); },
          found);
    }
    if (one.upstream_tls) {
      try_out(
          loaded.from, name + ".upstream_tls",
          [&] {
            const auto made = tls_context::for_upstream(*one.upstream_tls);
            for (const auto& mongos : one.upstream) made->require_checkable(mongos.host);
            return made;
          },
          found);
    }
  }
  return found;
}

}  // namespace

int report(const std::vector<config::problem>& problems) {
  for (const config::problem& one : problems) {
    std::fprintf(stderr, "%s\n", to_string(one).c_str());
  }
  return problems.empty() ? 0 : 1;
}

int check(const config::flags& given) {
  auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::look);
  if (loaded.problems.empty()) loaded.problems = check_certificates(loaded);
  const auto catalog = config::load_catalog(loaded.value.catalog.source);
  const int options_status = report(loaded.problems);
  const int catalog_status = report(catalog.problems);
  if (options_status != 0 || catalog_status != 0) return 1;
  std::printf("configuration '%s' OK\n", given.config_file.value_or("").c_str());
  return 0;
}

}  // namespace scattergate::app
