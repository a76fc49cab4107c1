#pragma once

#include <memory>

#include "sim/server.hpp"

namespace boost::asio::ssl {
class context;
}

namespace scattergate::sim {

/// Creates the TLS context that all connections share; null (no TLS) if `files` names no
/// certificate. Throws std::runtime_error with a one-line reason if a file can't be used.
[[nodiscard]] std::unique_ptr<boost::asio::ssl::context> make_tls(const tls_files& files);

}  // namespace scattergate::sim
