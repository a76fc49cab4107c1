#include "app/checks/socket_owner.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

#include <netinet/in.h>

#include "config/text/scalars.hpp"

namespace scattergate::app {
namespace {

namespace fs = std::filesystem;

/// Formats an address as /proc/net/tcp does: 32-bit words in host byte order, in hex.
std::string hex_words(const void* bytes, std::size_t size) {
  std::string text;
  for (std::size_t at = 0; at < size; at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(bytes) + at, sizeof word);
    std::array<char, 12> digits{};
    std::snprintf(digits.data(), digits.size(), "%08X", word);
    text += digits.data();
  }
  return text;
}

std::string hex_of(const net::socket_address& address) {
  if (address.family() == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address.data(), sizeof in);
    return hex_words(&in.sin_addr, sizeof in.sin_addr);
  }
  if (address.family() != AF_INET6) return {};
  sockaddr_in6 in{};
  std::memcpy(&in, address.data(), sizeof in);
  return hex_words(&in.sin6_addr, sizeof in.sin6_addr);
}

bool is_any(std::string_view hex) {
  return hex.find_first_not_of('0') == hex.npos;
}

/// Adds the inodes of the sockets in `table` (/proc/net/tcp) that listen on the address.
void add_listeners(const char* table, const std::string& host, const std::string& port,
                   std::set<std::string>& inodes) {
  constexpr std::string_view listening = "0A";
  std::ifstream lines{table};
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    const std::size_t colon = local.find(':');
    if (state != listening || colon == local.npos || local.substr(colon + 1) != port) continue;
    const std::string at = local.substr(0, colon);
    if (at == host || is_any(at) || is_any(host)) inodes.insert("socket:[" + inode + "]");
  }
}

bool has_one_of(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code failed;  // another user's process, or the process has ended
  for (auto file = fs::directory_iterator{process / "fd", failed};
       !failed && file != fs::directory_iterator{}; file.increment(failed)) {
    std::error_code gone;
    if (sockets.contains(fs::read_symlink(file->path(), gone))) return true;
  }
  return false;
}

}  // namespace

std::optional<socket_owner> listening_on(const net::socket_address& address) {
  const std::string host = hex_of(address);
  if (host.empty()) return std::nullopt;
  std::array<char, 8> port{};
  std::snprintf(port.data(), port.size(), "%04X", net::port_of(address));
  std::set<std::string> sockets;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    add_listeners(table, host, port.data(), sockets);
  }
  if (sockets.empty()) return std::nullopt;
  std::error_code failed;
  for (auto each = fs::directory_iterator{"/proc", failed};
       !failed && each != fs::directory_iterator{}; each.increment(failed)) {
    const auto process = config::parse_count(each->path().filename().string());
    if (!process || !has_one_of(each->path(), sockets)) continue;
    socket_owner found{*process, {}};
    std::ifstream name{each->path() / "comm"};
    std::getline(name, found.name);
    return found;
  }
  return std::nullopt;
}

}  // namespace scattergate::app
