#pragma once

using BIO = struct bio_st;

namespace scattergate::net {

class ring_link;

/// Creates an OpenSSL BIO that reads and writes through a ring_link (a socket under io_uring)
/// instead of a socket. Null if out of memory. `link` must outlive the BIO.
[[nodiscard]] BIO* make_ring_bio(ring_link& link) noexcept;

}  // namespace scattergate::net
