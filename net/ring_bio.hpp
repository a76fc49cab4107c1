#pragma once

using BIO = struct bio_st;

namespace scattergate::net {

class ring_link;

/// Creates an OpenSSL BIO over a ring_link, in place of a socket BIO; null if out of memory.
/// `link` must outlive the BIO.
[[nodiscard]] BIO* make_ring_bio(ring_link& link) noexcept;

}  // namespace scattergate::net
