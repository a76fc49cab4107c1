#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/proxied_uri.hpp"

namespace scattergate::config {

/// Asks the DNS what a mongodb+srv name stands for: its SRV records and its TXT record, which
/// may be missing. Blocks as long as the resolver's configuration says.
[[nodiscard]] text::result<srv_answer> look_up_srv(const std::string& name,
                                                   const std::string& service);

/// What a reply of the DNS to a question for SRV records says: "host:port" each. Those outside
/// of the name's own domain make it a problem: whoever answers for a name must not lead clients
/// elsewhere (specifications: initial-dns-seedlist-discovery). Exposed for tests.
[[nodiscard]] text::result<srv_answer> read_srv_reply(std::span<const unsigned char> reply,
                                                      std::string_view name);

/// The text of the only TXT record in a reply; empty where there is none.
[[nodiscard]] std::string read_txt_reply(std::span<const unsigned char> reply);

}  // namespace scattergate::config
