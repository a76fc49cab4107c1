#pragma once

#include <cstdint>
#include <string>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"

namespace scattergate::config {

/// The clients that can open the page and the API.
enum class page_access : std::uint8_t {
  off,          ///< admin.page: off
  loopback,     ///< every user of this host
  guarded,      ///< holders of the token in admin.token_file
  unreachable,  ///< not on loopback, without TLS or token: every request gets a 403
};

/// An address of the page, and the clients that can open the page there.
struct page_door {
  page_access access = page_access::off;
  net::endpoint at;
  std::string setting;  ///< the address's setting: "admin.listen", "admin.page_listen"
};

/// The address where the page can be opened: admin.page_listen if the page can be opened there,
/// otherwise admin.listen. Resolves host names.
[[nodiscard]] page_door page_door_of(const options& of);

/// Advice for an unreachable page.
[[nodiscard]] std::string advice_for_page();

}  // namespace scattergate::config
