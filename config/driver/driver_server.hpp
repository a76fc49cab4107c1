#pragma once

#include <cstddef>

/// The driver process: this program, started by a driver_process, running libmongoc for one
/// mongo_client.
namespace scattergate::config {

/// The descriptor of the socket to the parent process.
inline constexpr int driver_socket = 3;

/// The exit status of a driver process that has reached driver_memory_bytes.
inline constexpr int driver_out_of_memory = 66;

/// The limit of a driver process's own memory, in bytes: four times the largest reply, for the
/// copies that libmongoc makes of it, and what the program itself needs.
inline constexpr std::size_t driver_memory_bytes = std::size_t{96} << 20U;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCATTERGATE_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SCATTERGATE_HAS_SANITIZER 1
#endif
#endif
#ifdef SCATTERGATE_HAS_SANITIZER
/// Whether a driver process limits its memory and what it writes. A sanitizer needs more.
inline constexpr bool limits_its_resources = false;
#else
inline constexpr bool limits_its_resources = true;
#endif

/// Gives up all rights that libmongoc doesn't need, then carries out the calls that arrive on
/// driver_socket, until the parent closes it. Returns the exit status.
[[nodiscard]] int serve_driver();

}  // namespace scattergate::config
