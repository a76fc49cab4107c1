#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/proxied_uri.hpp"

namespace scattergate::config {

/// Looks up a mongodb+srv name in the DNS: its SRV records, and its TXT record, which may be
/// missing. `service`: the connection string's srvServiceName, "mongodb" by default. Returns a
/// problem if there is no SRV record, or if the reply is invalid (see read_srv_reply()).
/// Blocks for as long as the resolver's configuration permits.
[[nodiscard]] text::result<srv_answer> look_up_srv(const std::string& name,
                                                   const std::string& service);

/// Parses a DNS reply with the SRV records of `name` to "host:port" texts. Returns a problem if
/// the reply is invalid or has no SRV record, or if a host is outside of the domain of `name`:
/// a DNS server must not lead clients elsewhere (specifications:
/// initial-dns-seedlist-discovery). Public for tests.
[[nodiscard]] text::result<srv_answer> read_srv_reply(std::span<const unsigned char> reply,
                                                      std::string_view name);

/// The text of the TXT record in a DNS reply; empty if the reply is invalid, or has no TXT
/// record or several. Public for tests.
[[nodiscard]] std::string read_txt_reply(std::span<const unsigned char> reply);

}  // namespace scattergate::config
