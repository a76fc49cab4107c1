// Preloaded into a gate under test (LD_PRELOAD): a name server that has one name for
// mongodb+srv, cluster.localhost, with one host in its domain, at the port in SRV_PORT, and one
// TXT record. Names that end in ".localhost" are this machine.

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <arpa/nameser.h>
#include <dlfcn.h>
#include <netdb.h>

namespace {

void put16(std::string& to, int value) {
  to += static_cast<char>(value >> 8);
  to += static_cast<char>(value);
}

void put_name(std::string& to, std::string_view name) {
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    to += static_cast<char>(label.size());
    to += label;
    name.remove_prefix(dot == name.npos ? name.size() : dot + 1);
  }
  to += '\0';
}

// A reply with one record (RFC 1035, 4).
std::string reply(const char* name, int type, const std::string& data) {
  std::string made;
  for (const int value : {1, 0x8180, 0, 1, 0, 0}) put16(made, value);
  put_name(made, name);
  for (const int value : {type, 1, 0, 60, static_cast<int>(data.size())}) put16(made, value);
  return made + data;
}

std::string data_of(int type) {
  std::string data;
  if (type == ns_t_txt) {
    constexpr std::string_view options = "authSource=admin";
    return static_cast<char>(options.size()) + std::string{options};
  }
  for (const int value : {0, 0, std::atoi(std::getenv("SRV_PORT"))}) put16(data, value);
  put_name(data, "node.cluster.localhost");
  return data;
}

}  // namespace

extern "C" int res_query(const char* name, int, int type, unsigned char* to, int room) {
  const std::string made = reply(name, type, data_of(type));
  if (static_cast<int>(made.size()) > room) return -1;
  std::memcpy(to, made.data(), made.size());
  return static_cast<int>(made.size());
}

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  const bool is_here = name != nullptr && std::string_view{name}.ends_with(".localhost");
  using lookup = int(const char*, const char*, const addrinfo*, addrinfo**);
  return reinterpret_cast<lookup*>(dlsym(RTLD_NEXT, "getaddrinfo"))(
      is_here ? "127.0.0.1" : name, service, hints, found);
}
