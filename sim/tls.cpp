#include "sim/tls.hpp"

#include <stdexcept>

#include <boost/asio/ssl/context.hpp>

namespace scattergate::sim {
namespace {

using tls_context = boost::asio::ssl::context;

/// Runs a step that reads `file`.
template <typename Step>
void with_file(const std::string& file, Step step) {
  try {
    step();
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("cannot use " + file + " for TLS: " + failure.code().message());
  }
}

}  // namespace

std::unique_ptr<tls_context> make_tls(const tls_files& files) {
  if (files.cert_file.empty()) return nullptr;
  auto made = std::make_unique<tls_context>(tls_context::tls_server);
  made->set_options(tls_context::default_workarounds | tls_context::no_tlsv1 |
                    tls_context::no_tlsv1_1);
  with_file(files.cert_file, [&] {
    made->use_certificate_chain_file(files.cert_file);
    made->use_private_key_file(files.cert_file, tls_context::pem);
  });
  if (!files.ca_file.empty()) {
    with_file(files.ca_file, [&] { made->load_verify_file(files.ca_file); });
    made->set_verify_mode(boost::asio::ssl::verify_peer |
                          boost::asio::ssl::verify_fail_if_no_peer_cert);
  }
  return made;
}

}  // namespace scattergate::sim
