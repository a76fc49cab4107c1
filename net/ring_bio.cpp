#include "net/ring_bio.hpp"

#include <cstddef>
#include <memory>

#include <openssl/bio.h>

#include "net/ring_link.hpp"

namespace scattergate::net {
namespace {

using status = io_result::status;

ring_link& link_of(BIO* bio) noexcept {
  return *static_cast<ring_link*>(BIO_get_data(bio));
}

int write_bytes(BIO* bio, const char* bytes, std::size_t size, std::size_t* written) noexcept {
  const io_result result = link_of(bio).write(std::as_bytes(std::span{bytes, size}));
  BIO_clear_retry_flags(bio);
  if (result.what == status::blocked) BIO_set_retry_write(bio);
  *written = result.bytes;
  return result.what == status::done ? 1 : 0;
}

int read_bytes(BIO* bio, char* room, std::size_t size, std::size_t* read) noexcept {
  const io_result result = link_of(bio).read(std::as_writable_bytes(std::span{room, size}));
  BIO_clear_retry_flags(bio);
  if (result.what == status::blocked) BIO_set_retry_read(bio);
  *read = result.bytes;
  return result.what == status::done ? 1 : 0;
}

long control(BIO* bio, int command, long, void*) noexcept {
  if (command == BIO_CTRL_EOF) return link_of(bio).has_ended() ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

struct method_deleter {
  void operator()(BIO_METHOD* method) const noexcept { BIO_meth_free(method); }
};
using method_handle = std::unique_ptr<BIO_METHOD, method_deleter>;

method_handle make_method() noexcept {
  method_handle made{BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "io_uring")};
  if (!made) return made;
  BIO_meth_set_write_ex(made.get(), write_bytes);
  BIO_meth_set_read_ex(made.get(), read_bytes);
  BIO_meth_set_ctrl(made.get(), control);
  return made;
}

}  // namespace

BIO* make_ring_bio(ring_link& link) noexcept {
  static const method_handle method = make_method();
  BIO* const made = method ? BIO_new(method.get()) : nullptr;
  if (made == nullptr) return nullptr;
  BIO_set_data(made, &link);
  BIO_set_init(made, 1);
  return made;
}

}  // namespace scattergate::net
