#pragma once

#include <cstdint>
#include <string>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"

namespace scattergate::config {

/// The clients that can open the page (the daemon's web page) and the API.
enum class page_access : std::uint8_t {
  off,          ///< admin.page: off
  loopback,     ///< every user of this host, without a token
  guarded,      ///< clients that send the token in admin.token_file
  unreachable,  ///< no client: the address isn't on loopback and lacks TLS or a token, so
                ///< every request gets the status 403
};

/// An address of the page, and the clients that can open the page there.
struct page_door {
  page_access access = page_access::off;  ///< who can open the page at this address
  net::endpoint at;                       ///< the address
  std::string setting;  ///< the setting that has the address: "admin.listen" or
                        ///< "admin.page_listen"
};

/// The address where the page can be opened: admin.page_listen if it is set and clients have
/// access there, otherwise admin.listen. Resolves host names, so it may block.
[[nodiscard]] page_door page_door_of(const options& of);

/// Advice for page_access::unreachable: how to make the page accessible.
[[nodiscard]] std::string advice_for_page();

}  // namespace scattergate::config
