#pragma once

#include <functional>
#include <string>

#include "sim/simulator.hpp"

namespace scattergate::sim {

/// TLS for all connections, from PEM files.
struct tls_files {
  std::string cert_file;  ///< our certificate, with its chain and its key; empty: no TLS
  std::string ca_file;    ///< clients must present a certificate of these CAs; empty: they need
                          ///< none
};

/// Serves the simulator on `host:port` or `[v6]:port` until SIGTERM or SIGINT. Calls `ready`
/// with the bound address. Uses one thread. Throws std::runtime_error if the address is invalid
/// or in use, or a file can't be used.
void serve(simulator& what, const std::string& address, const tls_files& files,
           const std::function<void(const std::string&)>& ready);

}  // namespace scattergate::sim
