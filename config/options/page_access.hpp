#pragma once

#include <cstdint>
#include <string>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"

namespace scattergate::config {

/// Who can open the page and the API.
enum class page_access : std::uint8_t {
  off,          ///< admin.page: off
  loopback,     ///< every user of this host
  guarded,      ///< who has the token of admin.token_file
  unreachable,  ///< off loopback without TLS or token: each request is answered with 403
};

/// The access that options allow, and the address it holds for.
struct page_door {
  page_access access = page_access::off;
  net::endpoint at;
  std::string setting;  ///< of the address: "admin.listen", "admin.page_listen"
};

/// The address at which the page can be opened: admin.page_listen if it can be there, else
/// admin.listen. Resolves names.
[[nodiscard]] page_door page_door_of(const options& of);

/// What to do about a page that is unreachable.
[[nodiscard]] std::string advice_for_page();

}  // namespace scattergate::config
