#include "config/driver/mongo_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <mongoc/mongoc.h>
#include <netdb.h>
#include <sys/un.h>

#include "config/driver/timed_stream.hpp"

namespace scattergate::config {
namespace {

constexpr std::int32_t default_timeout_ms = 10'000;

struct address_deleter {
  void operator()(addrinfo* all) const noexcept { ::freeaddrinfo(all); }
};
using addresses = std::unique_ptr<addrinfo, address_deleter>;

void set_error(bson_error_t* error, std::uint32_t code, const std::string& text) {
  bson_set_error(error, MONGOC_ERROR_STREAM, code, "%s", text.c_str());
}

std::int32_t timeout_of(const mongoc_uri_t& uri) {
  return mongoc_uri_get_option_as_int32(&uri, MONGOC_URI_CONNECTTIMEOUTMS, default_timeout_ms);
}

/// Connects a socket and returns its timed stream; null, with errno, on failure.
mongoc_stream_t* connect_socket(int family, const sockaddr* to, socklen_t size,
                                std::int32_t timeout_ms) {
  constexpr std::int64_t micros = 1000;
  mongoc_socket_t* const socket = mongoc_socket_new(family, SOCK_STREAM, 0);
  if (socket == nullptr) return nullptr;
  const std::int64_t expires_at = bson_get_monotonic_time() + timeout_ms * micros;
  if (mongoc_socket_connect(socket, to, size, expires_at) == 0) {
    return timed(mongoc_stream_socket_new(socket));
  }
  const int reason = mongoc_socket_errno(socket);
  mongoc_socket_destroy(socket);
  errno = reason;
  return nullptr;
}

mongoc_stream_t* refuse_connection(const mongoc_host_list_t& host, int reason,
                                   bson_error_t* error) {
  set_error(
      error, MONGOC_ERROR_STREAM_CONNECT,
      std::string{"Failed to connect to "} + host.host_and_port + ": " + std::strerror(reason));
  return nullptr;
}

mongoc_stream_t* connect_tcp(const mongoc_uri_t& uri, const mongoc_host_list_t& host,
                             bson_error_t* error) {
  addrinfo hints{};
  hints.ai_family = host.family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed =
      ::getaddrinfo(host.host, std::to_string(host.port).c_str(), &hints, &found);
  const addresses all{found};
  if (failed != 0) {
    set_error(error, MONGOC_ERROR_STREAM_NAME_RESOLUTION,
              std::string{"Failed to resolve "} + host.host + ": " + ::gai_strerror(failed));
    return nullptr;
  }
  int reason = ECONNREFUSED;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    errno = 0;
    auto* const made =
        connect_socket(one->ai_family, one->ai_addr, one->ai_addrlen, timeout_of(uri));
    if (made != nullptr) return made;
    reason = errno != 0 ? errno : ETIMEDOUT;
  }
  return refuse_connection(host, reason, error);
}

mongoc_stream_t* connect_unix(const mongoc_uri_t& uri, const mongoc_host_list_t& host,
                              bson_error_t* error) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::size_t size = std::strlen(host.host);
  if (size >= sizeof to.sun_path) return refuse_connection(host, ENAMETOOLONG, error);
  std::copy_n(host.host, size, std::begin(to.sun_path));
  errno = 0;
  auto* const made = connect_socket(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to,
                                    timeout_of(uri));
  if (made != nullptr) return made;
  return refuse_connection(host, errno != 0 ? errno : ETIMEDOUT, error);
}

/// The TLS options of the connection string. They point into it.
mongoc_ssl_opt_t tls_options(const mongoc_uri_t& uri) {
  const auto text = [&](const char* name) {
    return mongoc_uri_get_option_as_utf8(&uri, name, nullptr);
  };
  const auto is_on = [&](const char* name) {
    return mongoc_uri_get_option_as_bool(&uri, name, false);
  };
  mongoc_ssl_opt_t made{};
  made.pem_file = text(MONGOC_URI_TLSCERTIFICATEKEYFILE);
  made.pem_pwd = text(MONGOC_URI_TLSCERTIFICATEKEYFILEPASSWORD);
  made.ca_file = text(MONGOC_URI_TLSCAFILE);
  const bool is_insecure = is_on(MONGOC_URI_TLSINSECURE);
  made.weak_cert_validation = is_insecure || is_on(MONGOC_URI_TLSALLOWINVALIDCERTIFICATES);
  made.allow_invalid_hostname = is_insecure || is_on(MONGOC_URI_TLSALLOWINVALIDHOSTNAMES);
  return made;
}

/// Does the TLS handshake. Takes ownership of `plain`.
mongoc_stream_t* shake_hands(mongoc_stream_t* plain, const mongoc_uri_t& uri,
                             const mongoc_host_list_t& host, bson_error_t* error) {
  mongoc_ssl_opt_t options = tls_options(uri);
  mongoc_stream_t* const tls =
      mongoc_stream_tls_new_with_hostname(plain, host.host, &options, 1);
  if (tls == nullptr) {
    set_error(error, MONGOC_ERROR_STREAM_SOCKET,
              "the connection string's TLS files can't be used");
    mongoc_stream_destroy(plain);
    return nullptr;
  }
  end_waits_in(tls, timeout_of(uri));
  if (mongoc_stream_tls_handshake_block(tls, host.host, timeout_of(uri), error)) return tls;
  if (have_waits_ended(tls)) {
    set_error(error, MONGOC_ERROR_STREAM_SOCKET, "the TLS handshake takes too long");
  }
  mongoc_stream_destroy(tls);
  return nullptr;
}

}  // namespace

_mongoc_stream_t* connect_stream(const _mongoc_uri_t& uri, const _mongoc_host_list_t& host,
                                 _bson_error_t* error) {
  mongoc_stream_t* const made =
      host.family == AF_UNIX ? connect_unix(uri, host, error) : connect_tcp(uri, host, error);
  if (made == nullptr || !mongoc_uri_get_tls(&uri)) return made;
  return shake_hands(made, uri, host, error);
}

}  // namespace scattergate::config
