#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/proxied_uri.hpp"

namespace scattergate::config {

/// Looks up a mongodb+srv name in the DNS: its SRV records and its TXT record, which may be
/// missing. Blocks as long as the resolver's configuration says.
[[nodiscard]] text::result<srv_answer> look_up_srv(const std::string& name,
                                                   const std::string& service);

/// Parses a DNS reply to a question for SRV records: "host:port" each. A host outside of the
/// name's own domain is a problem: a DNS server must not lead clients elsewhere
/// (specifications: initial-dns-seedlist-discovery). Exposed for tests.
[[nodiscard]] text::result<srv_answer> read_srv_reply(std::span<const unsigned char> reply,
                                                      std::string_view name);

/// The text of the only TXT record in a reply; empty if absent.
[[nodiscard]] std::string read_txt_reply(std::span<const unsigned char> reply);

}  // namespace scattergate::config
