#pragma once

/// Declares what headers of ours name of Asio but don't use, so that whoever includes them
/// doesn't read Asio's own headers.
namespace boost::asio {
class io_context;
}  // namespace boost::asio
