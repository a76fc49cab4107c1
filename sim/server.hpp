#pragma once

#include <functional>
#include <string>

#include "sim/simulator.hpp"

namespace scattergate::sim {

/// TLS for all connections, by PEM files.
struct tls_files {
  std::string cert_file;  ///< our certificate, with its chain and its key; empty: no TLS
  std::string ca_file;  ///< clients must show a certificate of these CAs; empty: they need none
};

/// Serves the simulator on `host:port` or `[v6]:port` until SIGTERM or SIGINT. `ready` is told
/// the bound address. One thread does it all.
/// Throws std::runtime_error where the address is bad or taken, or a file can't be used.
void serve(simulator& what, const std::string& address, const tls_files& files,
           const std::function<void(const std::string&)>& ready);

}  // namespace scattergate::sim
