#pragma once

#include <memory>

#include "sim/server.hpp"

namespace boost::asio::ssl {
class context;
}

namespace scattergate::sim {

/// What connections need to speak TLS; null where the files name no certificate.
/// Throws std::runtime_error, in one line that says why, where a file can't be used.
[[nodiscard]] std::unique_ptr<boost::asio::ssl::context> make_tls(const tls_files& files);

}  // namespace scattergate::sim
