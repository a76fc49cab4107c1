#include "net/endpoint.hpp"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>
#include <sys/un.h>

namespace scattergate::net {
namespace {

constexpr std::string_view unix_prefix = "unix:";
constexpr std::size_t longest_host = 253;  // RFC 1035, in text form

bool is_host_name(std::string_view text) {
  const auto allowed = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_';
  };
  return !text.empty() && text.size() <= longest_host &&
         std::all_of(text.begin(), text.end(), allowed);
}

bool is_ipv6(std::string_view text) {
  in6_addr address;
  const std::size_t percent = std::min(text.find('%'), text.size());
  const std::string bare{text.substr(0, percent)};
  if (bare.find('\0') != bare.npos || inet_pton(AF_INET6, bare.c_str(), &address) != 1) {
    return false;
  }
  return percent == text.size() || is_host_name(text.substr(percent + 1));  // fe80::1%eth0
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<endpoint> parse_unix(std::string_view path) {
  const bool fits = path.size() > 1 && path.size() < sizeof(sockaddr_un::sun_path);
  if (!fits || path.front() != '/' || path.find('\0') != path.npos) return std::nullopt;
  return endpoint{{}, 0, std::string{path}};
}

}  // namespace

bool is_host(std::string_view text) {
  return is_host_name(text) || is_ipv6(text);
}

std::optional<endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
  if (text.substr(0, unix_prefix.size()) == unix_prefix) {
    return parse_unix(text.substr(unix_prefix.size()));
  }
  endpoint address;
  std::string_view rest;  // ":port" or nothing
  if (!text.empty() && text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == text.npos) return std::nullopt;
    address.host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    if (!is_ipv6(address.host)) return std::nullopt;
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    address.host = text.substr(0, colon);
    rest = text.substr(colon);
    if (!is_host_name(address.host)) return std::nullopt;
  }
  if (rest.empty()) {
    if (default_port == 0) return std::nullopt;
    address.port = default_port;
    return address;
  }
  const auto port = rest.front() == ':' ? parse_port(rest.substr(1)) : std::nullopt;
  if (!port) return std::nullopt;
  address.port = *port;
  return address;
}

std::string to_string(const endpoint& address) {
  if (address.is_unix()) return std::string{unix_prefix} + address.path;
  const bool bracketed = address.host.find(':') != std::string::npos;
  return (bracketed ? "[" + address.host + "]" : address.host) + ":" +
         std::to_string(address.port);
}

}  // namespace scattergate::net
