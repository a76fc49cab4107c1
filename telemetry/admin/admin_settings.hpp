#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "net/socket_address.hpp"
#include "net/tls_context.hpp"
#include "telemetry/admin/admin_access.hpp"

namespace scattergate::telemetry {

/// How much memory the admin server may use for replies, in bytes. This memory is reserved from
/// limits.memory. Therefore the page and the API work even if clients use up the rest, and slow
/// readers of replies don't take memory from clients.
struct answer_room {
  /// `limits_memory`: the setting limits.memory, in bytes.
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The reserved part of limits.memory, in bytes: an eighth, but at most 64 MiB.
  std::size_t in_all;
  /// The size limit of one uncompressed reply about query shapes, in bytes: a quarter of
  /// `in_all`, but at least 1 MiB. Making a reply takes up to twice this size (a growing
  /// string, and its compressed copy). The replies being sent at any one time also take at most
  /// about this size in total.
  std::size_t each;
};

/// The settings of the admin server. After a reload, new requests use the new settings, even on
/// open connections. Open connections keep their TLS context. Thread-safety: immutable.
struct admin_settings {
  bool page = true;  ///< whether to serve the page and the API; a reload doesn't change it
  answer_room room{config::limit_options{}.memory_bytes};  ///< limits of the replies' memory;
                                                           ///< a reload doesn't change them
  std::shared_ptr<const net::tls_context> tls;  ///< the TLS context for new connections; null:
                                                ///< no TLS
  std::string token;                            ///< see admin_access::settings
  std::vector<std::string> hosts;               ///< see admin_access::settings
  /// A template of a link to Grafana (admin_access_options::grafana_link); empty: none.
  std::string grafana_link;
};

/// Builds the settings from the options and the files that they name. Returns a problem if the
/// certificate, its key or the token can't be used.
[[nodiscard]] text::result<admin_settings> admin_settings_of(const config::options& from);

/// Makes the access rules of a listening socket. `local`: the socket's actual address;
/// `bound`: its configured address.
[[nodiscard]] admin_access access_of(const net::socket_address& local,
                                     const net::endpoint& bound,
                                     const admin_settings& settings);

}  // namespace scattergate::telemetry
