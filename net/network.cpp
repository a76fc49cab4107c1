#include "net/network.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/socket_address.hpp"

namespace scattergate::net {
namespace {

constexpr std::size_t mapped_at = 12;  // offset of the IPv4 part of a mapped address
constexpr unsigned mapped_bits = 96;
constexpr unsigned bits_in_all = 128;

bool is_mapped(const ip_address& address) noexcept {
  constexpr std::array<std::uint8_t, mapped_at> start{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(start.begin(), start.end(), address.bytes.begin());
}

/// The address with the bits after the prefix cleared.
ip_address cut(ip_address address, unsigned prefix) noexcept {
  for (unsigned bit = prefix; bit < bits_in_all; ++bit) {
    address.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
  }
  return address;
}

}  // namespace

std::string peer_key(int fd) {
  const socket_address peer = peer_of(fd);
  if (peer.size() == 0) return {};
  switch (peer.family()) {
    case AF_INET:
      return {reinterpret_cast<const char*>(peer.data()) + offsetof(sockaddr_in, sin_addr),
              sizeof(in_addr)};
    case AF_INET6: {
      ip_address address;  // an IPv4 client of a dual-stack socket has a mapped address
      std::memcpy(
          address.bytes.data(),
          reinterpret_cast<const std::byte*>(peer.data()) + offsetof(sockaddr_in6, sin6_addr),
          address.bytes.size());
      return std::string{network_bytes(address)};
    }
    default: {
      const auto user = peer_user(fd);
      return user ? "uid:" + std::to_string(*user) : std::string{};
    }
  }
}

std::string peer_text(const std::string& key) {
  if (key.starts_with("uid:")) return key;
  // An IPv6 network's other bytes are 0.
  std::array<char, INET6_ADDRSTRLEN> text{};
  std::array<char, sizeof(in6_addr)> address{};
  std::ranges::copy(key.substr(0, address.size()), address.begin());
  const bool is_v4 = key.size() == sizeof(in_addr);
  if (key.empty() || ::inet_ntop(is_v4 ? AF_INET : AF_INET6, address.data(), text.data(),
                                 text.size()) == nullptr) {
    return "unknown";
  }
  return std::string{text.data()} + (is_v4 ? "" : "/64");
}

std::string_view network_bytes(const ip_address& of) noexcept {
  constexpr std::size_t network_size = 8;
  const std::string_view all{reinterpret_cast<const char*>(of.bytes.data()), of.bytes.size()};
  return is_mapped(of) ? all.substr(mapped_at) : all.substr(0, network_size);
}

std::optional<ip_address> parse_ip_address(std::string_view text) {
  const std::string written{text};
  ip_address made;
  if (written.find(':') != written.npos) {
    if (::inet_pton(AF_INET6, written.c_str(), made.bytes.data()) != 1) return std::nullopt;
    return made;
  }
  made.bytes[mapped_at - 2] = made.bytes[mapped_at - 1] = 0xff;
  if (::inet_pton(AF_INET, written.c_str(), made.bytes.data() + mapped_at) != 1) {
    return std::nullopt;
  }
  return made;
}

std::optional<network> network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool is_v4 = text.find(':') == text.npos;
  const auto first = parse_ip_address(text.substr(0, slash));
  if (!first) return std::nullopt;
  unsigned prefix = is_v4 ? bits_in_all - mapped_bits : bits_in_all;
  if (slash != text.npos) {
    unsigned written = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, written);
    if (error != std::errc{} || stop != end || written > prefix) return std::nullopt;
    prefix = written;
  }
  network made;
  made.prefix_ = is_v4 ? prefix + mapped_bits : prefix;
  made.first_ = *first;
  if (cut(*first, made.prefix_) != *first) return std::nullopt;
  return made;
}

bool network::contains(const ip_address& address) const noexcept {
  // "::/0" means IPv6 only, without mapped IPv4 addresses.
  if (prefix_ < mapped_bits && is_mapped(address)) return false;
  const unsigned whole = prefix_ / 8;
  if (!std::equal(first_.bytes.begin(), first_.bytes.begin() + whole, address.bytes.begin())) {
    return false;
  }
  const unsigned rest = prefix_ % 8;
  return rest == 0 || ((first_.bytes[whole] ^ address.bytes[whole]) >> (8 - rest)) == 0;
}

bool network::contains(const network& other) const noexcept {
  return prefix_ <= other.prefix_ && contains(other.first_);
}

std::string to_string(const network& of) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_v4 = of.prefix_ >= mapped_bits && is_mapped(of.first_);
  const auto* const bytes = of.first_.bytes.data();
  ::inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? bytes + mapped_at : bytes, text.data(),
              text.size());
  return std::string{text.data()} + "/" +
         std::to_string(is_v4 ? of.prefix_ - mapped_bits : of.prefix_);
}

}  // namespace scattergate::net
