#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/proxied_uri.hpp"

namespace scattergate::config {

/// Looks up a mongodb+srv name in the DNS: its SRV records, and its TXT record, which may be
/// missing. Blocks for as long as the resolver's configuration permits.
[[nodiscard]] text::result<srv_answer> look_up_srv(const std::string& name,
                                                   const std::string& service);

/// Parses a DNS reply with SRV records to "host:port" texts. Returns a problem for a host
/// outside of the name's own domain: a DNS server must not lead clients elsewhere
/// (specifications: initial-dns-seedlist-discovery). Public for tests.
[[nodiscard]] text::result<srv_answer> read_srv_reply(std::span<const unsigned char> reply,
                                                      std::string_view name);

/// The text of the only TXT record in a reply; empty if absent.
[[nodiscard]] std::string read_txt_reply(std::span<const unsigned char> reply);

}  // namespace scattergate::config
