#pragma once

/// Forward declarations of Boost.Asio's types. A header that only names such a type includes
/// this file instead of Asio's headers, which are slow to compile.
namespace boost::asio {
class io_context;
}  // namespace boost::asio
