#pragma once

using BIO = struct bio_st;

namespace scattergate::net {

class ring_link;

/// What OpenSSL reads from and writes to instead of a socket that is on a ring; null if out of
/// memory. `link` must outlive its use.
[[nodiscard]] BIO* make_ring_bio(ring_link& link) noexcept;

}  // namespace scattergate::net
