#include "net/tls_context.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

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

/// The reason of this thread's oldest OpenSSL error, which is the cause of the others.
std::string why() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "unknown error" : reason;
}

text::problem failed(const std::string& file, const std::string& what) {
  return {file, what + ": " + why()};
}

text::result<void> use_certificate(SSL_CTX* context, const std::string& cert_file,
                                   const std::string& key_file) {
  const std::string& key = key_file.empty() ? cert_file : key_file;
  if (SSL_CTX_use_certificate_chain_file(context, cert_file.c_str()) != 1) {
    return failed(cert_file, "not a usable certificate");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return failed(key, "not a usable private key");
  }
  if (SSL_CTX_check_private_key(context) != 1) return failed(key, "not the certificate's key");
  return {};
}

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  return ::inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
}

/// Verifies the peer's certificate against `name`, a host name or IP address. False if OpenSSL
/// can't do that. The caller must then not connect, because any trusted certificate would be
/// accepted.
bool expect_name(SSL* state, const std::string& name) {
  if (name.empty()) return false;
  if (is_ip_address(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(state), name.c_str()) == 1;
  }
  // Rejects "m*.example.com"; accepts "*.example.com" (RFC 6125, section 6.4.3).
  SSL_set_hostflags(state, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // Does what the macro SSL_set_tlsext_host_name() does, without its C-style cast.
  return SSL_ctrl(state, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(name.c_str())) == 1 &&
         SSL_set1_host(state, name.c_str()) == 1;
}

/// Refuses to give OpenSSL a password for a key, because a daemon has no user to ask.
int no_password(char*, int, int, void*) {
  return -1;
}

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

void ssl_deleter::operator()(SSL* state) const noexcept {
  SSL_free(state);
}

void tls_context::context_deleter::operator()(SSL_CTX* context) const noexcept {
  SSL_CTX_free(context);
}

tls_context::tls_context(context_handle context, std::string file) noexcept
    : context_(std::move(context)),
      file_(std::move(file)),
      life_(life_of(SSL_CTX_get0_certificate(context_.get()))) {}

text::result<tls_context::context_handle> tls_context::make(bool is_server) {
  context_handle made{SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method())};
  if (!made) return text::problem{"TLS", why()};
  SSL_CTX* context = made.get();
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return failed("TLS 1.2", "unusable");
  }
  SSL_CTX_set_default_passwd_cb(context, no_password);
  // The wire protocol frames its messages, so a missing close_notify can't truncate one
  // unnoticed; drivers omit it.
  SSL_CTX_set_options(
      context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // OpenSSL requires a session id context to resume sessions of clients whose certificates it
  // has verified.
  constexpr std::array<unsigned char, 11> name = {'s', 'c', 'a', 't', 't', 'e',
                                                  'r', 'g', 'a', 't', 'e'};
  if (SSL_CTX_set_session_id_context(context, name.data(), name.size()) != 1) {
    return failed("TLS sessions", "unusable");
  }
  // The retry of a blocked write may come from a different buffer. OpenSSL's buffers are
  // released while a connection is idle.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  return made;
}

tls_context::made tls_context::for_clients(const client_tls_options& options) {
  auto ready = make(true);
  if (!ready) return ready.error();
  SSL_CTX* const context = ready->get();
  const auto used = use_certificate(context, options.cert_file, options.key_file);
  if (!used) return used.error();
  if (const std::string& ca = options.client_ca_file; !ca.empty()) {
    if (SSL_CTX_load_verify_locations(context, ca.c_str(), nullptr) != 1) {
      return failed(ca, "no usable certificates");
    }
    auto* names = SSL_load_client_CA_file(ca.c_str());
    if (names == nullptr) return failed(ca, "no usable certificates");
    SSL_CTX_set_client_CA_list(context, names);  // takes ownership
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return std::shared_ptr<const tls_context>{
      new tls_context(*std::move(ready), options.cert_file)};
}

tls_context::made tls_context::for_upstream(const upstream_tls_options& options) {
  auto ready = make(false);
  if (!ready) return ready.error();
  SSL_CTX* const context = ready->get();
  if (!options.cert_file.empty()) {
    const auto used = use_certificate(context, options.cert_file, options.key_file);
    if (!used) return used.error();
  }
  if (options.ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) {
      return failed("system CAs", "unusable");
    }
  } else if (SSL_CTX_load_verify_locations(context, options.ca_file.c_str(), nullptr) != 1) {
    return failed(options.ca_file, "no usable certificates");
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  std::shared_ptr<tls_context> made{new tls_context(*std::move(ready), options.cert_file)};
  made->server_name_ = options.server_name;
  if (!options.server_name.empty()) {
    if (const auto checked = made->check_name(options.server_name); !checked) {
      return checked.error();
    }
  }
  return std::shared_ptr<const tls_context>{std::move(made)};
}

ssl_handle tls_context::over(int fd) const {
  ssl_handle state{SSL_new(context_.get())};
  if (state && SSL_set_fd(state.get(), fd) != 1) state.reset();
  return state;
}

ssl_handle tls_context::accept() const {
  ssl_handle state{SSL_new(context_.get())};
  if (state) SSL_set_accept_state(state.get());
  return state;
}

ssl_handle tls_context::accept_over(int fd) const {
  ssl_handle state = over(fd);
  if (state) SSL_set_accept_state(state.get());
  return state;
}

ssl_handle tls_context::connect_over(int fd, const std::string& name) const {
  ssl_handle state = over(fd);
  if (!state) return state;
  SSL_set_connect_state(state.get());
  if (!expect_name(state.get(), server_name_.empty() ? name : server_name_)) state.reset();
  return state;
}

text::result<void> tls_context::check_name(const std::string& name) const {
  const ssl_handle trial{SSL_new(context_.get())};
  if (!trial) return text::problem{"TLS", why()};
  const std::string& expected = server_name_.empty() ? name : server_name_;
  if (expect_name(trial.get(), expected)) return {};
  ERR_clear_error();
  return text::failure("'" + expected +
                       "' is not a name that a certificate can be verified for");
}

}  // namespace scattergate::net
