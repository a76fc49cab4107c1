#include "proxy/takeover/handover.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/socket_address.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::string_view end_packet = "end";
constexpr std::string_view ready_packet = "ready";
constexpr std::size_t max_packet = 512;  // longer than any address
constexpr timeval patience{5, 0};        // timeout for each packet to or from the other process
constexpr std::chrono::milliseconds accept_pause{200};

/// A Unix socket that preserves packet boundaries, so that each descriptor arrives together
/// with its address.
net::unique_fd packet_socket(int flags) {
  net::unique_fd made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0)};
  if (!made) throw std::system_error(errno, std::generic_category(), "handover socket");
  return made;
}

/// Whether the process at the other end runs as the same user as this one, or as root.
bool is_trusted(int fd) {
  const auto user = net::peer_user(fd);
  return user && (*user == ::geteuid() || *user == 0);
}

/// Room for the descriptor that may accompany a packet.
union control_room {
  cmsghdr alignment;
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

bool send_packet(int to, std::string_view text, int descriptor = -1) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  control_room control{};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  if (descriptor >= 0) {
    packet.msg_control = control.bytes.data();
    packet.msg_controllen = control.bytes.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&packet);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  return ::sendmsg(to, &packet, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

struct received_packet {
  std::string text;  ///< empty: the other end has closed, or was too slow
  net::unique_fd descriptor;
};

received_packet receive_packet(int from) {
  std::array<char, max_packet> text{};
  iovec part{text.data(), text.size()};
  control_room control{};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = control.bytes.data();
  packet.msg_controllen = control.bytes.size();
  ssize_t size = 0;
  do {
    size = ::recvmsg(from, &packet, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  received_packet received;
  if (size <= 0) return received;
  received.text.assign(text.data(), static_cast<std::size_t>(size));
  const cmsghdr* rights = CMSG_FIRSTHDR(&packet);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS &&
      rights->cmsg_len == CMSG_LEN(sizeof(int))) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
    received.descriptor = net::unique_fd{descriptor};
  }
  return received;
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

ino_t inode_of(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

bool predecessor_connection::ask(const std::string& path, inherited_sockets& into) {
  connection_ = packet_socket(0);
  const int fd = connection_.get();
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const net::socket_address at = net::unix_address(path);
  const int refused = ::connect(fd, at.data(), at.size());
  if (refused != 0 || !is_trusted(fd)) {
    connection_.reset();
    return false;
  }
  for (;;) {
    received_packet packet = receive_packet(fd);
    if (packet.text == end_packet) return true;
    if (!packet.descriptor) {  // the predecessor has closed: use the sockets that have arrived
      connection_.reset();
      return !into.is_empty();
    }
    into.add(std::move(packet.text), std::move(packet.descriptor));
  }
}

void predecessor_connection::stop() {
  if (connection_) send_packet(connection_.get(), ready_packet);
  connection_.reset();
}

struct handover_server::impl : std::enable_shared_from_this<impl> {
  impl(std::string at, const std::vector<offered_socket>& sockets, asio::io_context& control,
       std::function<void()> handler)
      : path(std::move(at)),
        offered(sockets),
        on_successor(std::move(handler)),
        listening(control, bind().release()),
        inode(inode_of(path)),
        successor(control),
        rest(control) {}

  net::unique_fd bind() const {
    net::unique_fd socket = packet_socket(SOCK_NONBLOCK);
    if (is_socket(path)) ::unlink(path.c_str());
    const net::socket_address at = net::unix_address(path);
    const int failed = ::bind(socket.get(), at.data(), at.size());
    if (failed != 0 || ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
        ::listen(socket.get(), 1) != 0) {
      throw std::system_error(errno, std::generic_category(),
                              "cannot listen for a successor on unix:" + path);
    }
    return socket;
  }

  void await_successor() {
    listening.async_wait(asio::posix::descriptor_base::wait_read,
                         [self = shared_from_this()](const error_code& error) {
                           if (error) return;
                           self->accept();
                         });
  }

  void accept() {
    net::unique_fd asking{::accept4(listening.native_handle(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!asking && errno != EAGAIN) return await_descriptors();
    ::setsockopt(asking.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!asking || !is_trusted(asking.get()) || !offer_all(asking.get())) {
      return await_successor();
    }
    telemetry::log::write(telemetry::log::severity::info, telemetry::log::component::proxy,
                          1020,
                          "Handing the listening sockets to a new process; this one drains");
    successor.assign(asking.release());
    successor.async_wait(asio::posix::descriptor_base::wait_read,
                         [self = shared_from_this()](const error_code& error) {
                           if (!error) self->receive_answer();
                         });
  }

  /// Waits before accepting again after a failure, such as a lack of descriptors. Meanwhile,
  /// the successor's connection waits in the socket's queue.
  void await_descriptors() {
    rest.expires_after(accept_pause);
    rest.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->await_successor();
    });
  }

  bool offer_all(int to) const {
    for (const auto& one : offered) {
      if (!send_packet(to, one.configured, one.socket.get())) return false;
    }
    return send_packet(to, end_packet);
  }

  /// Reads the successor's answer. A successor that closes without one has failed to start: the
  /// offer continues.
  void receive_answer() {
    const bool is_ready = receive_packet(successor.native_handle()).text == ready_packet;
    error_code ignored;
    successor.close(ignored);
    if (!is_ready) return await_successor();
    listening.close(ignored);
    on_successor();
  }

  std::string path;
  const std::vector<offered_socket>& offered;
  std::function<void()> on_successor;
  asio::posix::stream_descriptor listening;
  ino_t inode;
  asio::posix::stream_descriptor successor;
  asio::steady_timer rest;
};

handover_server::handover_server(const std::string& path,
                                 const std::vector<offered_socket>& offered,
                                 asio::io_context& control, std::function<void()> on_successor)
    : impl_(std::make_shared<impl>(path, offered, control, std::move(on_successor))) {
  impl_->await_successor();
}

handover_server::~handover_server() {
  error_code ignored;
  impl_->listening.close(ignored);
  impl_->successor.close(ignored);
  impl_->rest.cancel();
  if (inode_of(impl_->path) == impl_->inode) ::unlink(impl_->path.c_str());
}

}  // namespace scattergate::proxy
