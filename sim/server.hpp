#pragma once

#include <functional>
#include <string>

#include "sim/simulator.hpp"

namespace scattergate::sim {

/// The PEM files for TLS, which then applies to all connections.
struct tls_files {
  std::string cert_file;  ///< the server's certificate chain and its private key; empty: no TLS
  std::string ca_file;  ///< the CAs that must have signed clients' certificates; empty: clients
                        ///< need no certificate
};

/// Accepts connections to the simulator on `address` ("host:port" or "[v6]:port") until SIGTERM
/// or SIGINT. Calls `ready` with the bound address once the server listens. Runs on the calling
/// thread. Throws std::runtime_error if the address is invalid or in use, or a file can't be
/// used.
void serve(simulator& what, const std::string& address, const tls_files& files,
           const std::function<void(const std::string&)>& ready);

}  // namespace scattergate::sim
