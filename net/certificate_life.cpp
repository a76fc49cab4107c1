#include "net/certificate_life.hpp"

#include <cstdio>
#include <ctime>
#include <memory>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace scattergate::net {
namespace {

std::int64_t seconds_of(const ASN1_TIME* time) noexcept {
  std::tm parts{};
  return time != nullptr && ASN1_TIME_to_tm(time, &parts) == 1 ? ::timegm(&parts) : 0;
}

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

struct certificate_deleter {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};

}  // namespace

certificate_phase certificate_life::phase(
    std::chrono::system_clock::time_point now) const noexcept {
  using time_point = std::chrono::system_clock::time_point;
  if (ends == 0) return certificate_phase::valid;
  const time_point end{std::chrono::seconds{ends}};
  if (now >= end) return certificate_phase::expired;
  if (now < time_point{std::chrono::seconds{begins}}) return certificate_phase::not_yet_valid;
  return now < end - soon ? certificate_phase::valid : certificate_phase::expires_soon;
}

certificate_life life_of(const X509* certificate) noexcept {
  if (certificate == nullptr) return {};
  return {seconds_of(X509_get0_notBefore(certificate)),
          seconds_of(X509_get0_notAfter(certificate))};
}

std::vector<certificate_life> certificates_in(const std::string& pem_file) {
  std::vector<certificate_life> found;
  const std::unique_ptr<std::FILE, file_closer> file{std::fopen(pem_file.c_str(), "re")};
  if (!file) return found;
  for (;;) {
    // Skips blocks that aren't certificates, such as a key.
    const std::unique_ptr<X509, certificate_deleter> one{
        PEM_read_X509(file.get(), nullptr, nullptr, nullptr)};
    if (!one) break;
    found.push_back(life_of(one.get()));
  }
  ERR_clear_error();
  return found;
}

certificate_life life_of_peer(const SSL* connection) noexcept {
  return life_of(SSL_get0_peer_certificate(connection));
}

certificate_fault fault_of_peer(const SSL* connection) noexcept {
  switch (SSL_get_verify_result(connection)) {
    case X509_V_OK:
      return certificate_fault::none;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return certificate_fault::wrong_name;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return certificate_fault::expired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return certificate_fault::not_yet_valid;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return certificate_fault::untrusted;
    default:
      return certificate_fault::other;
  }
}

}  // namespace scattergate::net
