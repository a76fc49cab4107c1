#pragma once

/// Forward declarations of the Asio types that our headers name, so that including them doesn't
/// pull in Asio's headers.
namespace boost::asio {
class io_context;
}  // namespace boost::asio
