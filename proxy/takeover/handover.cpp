#include "proxy/takeover/handover.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
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
constexpr timeval packet_timeout{5, 0};  // timeout for each packet to or from the other process
constexpr std::chrono::milliseconds accept_pause{200};
constexpr std::chrono::milliseconds head_start{1'000};  // less than `packet_timeout`
constexpr std::size_t max_candidates = 8;

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
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &packet_timeout, sizeof packet_timeout);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &packet_timeout,
               sizeof packet_timeout);  // also of connect()
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

bool predecessor_connection::has_lost_to_another(const std::string& path) const {
  char any = 0;
  if (!connection_ || ::recv(connection_.get(), &any, 1, MSG_DONTWAIT | MSG_PEEK) != 0) {
    return false;
  }
  const net::unique_fd probe = packet_socket(SOCK_NONBLOCK);
  const net::socket_address at = net::unix_address(path);
  return ::connect(probe.get(), at.data(), at.size()) == 0 || errno == EAGAIN;
}

void predecessor_connection::stop() {
  if (connection_) send_packet(connection_.get(), ready_packet);
  connection_.reset();
}

/// A process that may become the successor, with the connection to it.
struct candidate {
  candidate(asio::io_context& control, net::unique_fd socket)
      : connection(control, socket.release()) {}

  asio::posix::stream_descriptor connection;
  std::size_t sent = 0;  ///< number of packets that it has received
};

struct handover_server::impl : std::enable_shared_from_this<impl> {
  impl(std::string at, const std::vector<offered_socket>& sockets, asio::io_context& control,
       std::function<void()> handler)
      : path(std::move(at)),
        offered(sockets),
        context(control),
        on_successor(std::move(handler)),
        listening(control, bind().release()),
        inode(inode_of(path)),
        rest(control) {}

  net::unique_fd bind() const {
    net::unique_fd socket = packet_socket(SOCK_NONBLOCK);
    if (is_socket(path)) ::unlink(path.c_str());
    const net::socket_address at = net::unix_address(path);
    const int failed = ::bind(socket.get(), at.data(), at.size());
    if (failed != 0 || ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
        ::listen(socket.get(), max_candidates) != 0) {
      throw std::system_error(errno, std::generic_category(),
                              "cannot listen for a successor on unix:" + path);
    }
    return socket;
  }

  void await_successor() {
    listening.async_wait(asio::posix::descriptor_base::wait_read,
                         [self = shared_from_this()](const error_code& error) {
                           if (!error) self->accept_all();
                         });
  }

  /// Accepts the processes that have connected. Then pauses, so that the first one can take
  /// over before a further one gets the sockets, too. Also pauses after a failure, such as a
  /// lack of descriptors. Meanwhile, connections wait in the socket's queue.
  void accept_all() {
    bool is_new = false;
    for (;;) {
      net::unique_fd asking{
          ::accept4(listening.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (!asking && errno != EAGAIN) return pause_for(accept_pause);
      if (!asking) break;
      if (!is_trusted(asking.get())) continue;
      if (candidates.size() == max_candidates) drop(candidates.front());
      const auto made = std::make_shared<candidate>(context, std::move(asking));
      candidates.push_back(made);
      offer_rest(made);
      is_new = true;
    }
    if (is_new && !candidates.empty()) return pause_for(head_start);
    await_successor();
  }

  void pause_for(std::chrono::milliseconds time) {
    rest.expires_after(time);
    rest.async_wait([self = shared_from_this()](const error_code&) {
      if (self->listening.is_open()) self->await_successor();
    });
  }

  /// Sends the packets that `to` hasn't received. If `to` doesn't read them now, continues when
  /// it does.
  void offer_rest(const std::shared_ptr<candidate>& to) {
    const int socket = to->connection.native_handle();
    for (; to->sent <= offered.size(); ++to->sent) {
      const bool is_end = to->sent == offered.size();
      const bool is_sent = is_end ? send_packet(socket, end_packet)
                                  : send_packet(socket, offered[to->sent].configured,
                                                offered[to->sent].socket.get());
      if (is_sent) continue;
      if (errno != EAGAIN) return drop(to);
      return await(to, asio::posix::descriptor_base::wait_write, &impl::offer_rest);
    }
    await(to, asio::posix::descriptor_base::wait_read, &impl::receive_answer);
  }

  void await(const std::shared_ptr<candidate>& from,
             asio::posix::descriptor_base::wait_type event,
             void (impl::*then)(const std::shared_ptr<candidate>&)) {
    from->connection.async_wait(
        event, [self = shared_from_this(), from, then](const error_code& error) {
          if (!error) (self.get()->*then)(from);
        });
  }

  /// Reads a candidate's answer. One that closes without an answer has failed to start: the
  /// offer continues.
  void receive_answer(const std::shared_ptr<candidate>& from) {
    if (receive_packet(from->connection.native_handle()).text != ready_packet) {
      return drop(from);
    }
    telemetry::log::write(telemetry::log::severity::info, telemetry::log::component::proxy,
                          1020,
                          "Handing the listening sockets to a new process; this one drains");
    close();
    on_successor();
  }

  void drop(std::shared_ptr<candidate> one) {
    candidates.remove(one);
    close(*one);
    if (candidates.empty()) rest.cancel();  // the next one needn't wait
  }

  static void close(candidate& one) {
    error_code ignored;
    one.connection.close(ignored);
  }

  void close() {
    error_code ignored;
    listening.close(ignored);
    rest.cancel();
    for (const auto& one : candidates) close(*one);
    candidates.clear();
  }

  std::string path;
  const std::vector<offered_socket>& offered;
  asio::io_context& context;
  std::function<void()> on_successor;
  asio::posix::stream_descriptor listening;
  ino_t inode;
  std::list<std::shared_ptr<candidate>> candidates;  ///< the oldest one first
  asio::steady_timer rest;
};

handover_server::handover_server(const std::string& path,
                                 const std::vector<offered_socket>& offered,
                                 asio::io_context& control, std::function<void()> on_successor)
    : impl_(std::make_shared<impl>(path, offered, control, std::move(on_successor))) {
  impl_->await_successor();
}

handover_server::~handover_server() {
  impl_->close();
  if (inode_of(impl_->path) == impl_->inode) ::unlink(impl_->path.c_str());
}

}  // namespace scattergate::proxy
