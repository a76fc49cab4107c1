// Preloaded by test_fleet.py: wall clocks are off by the seconds in the file SHIFTED_CLOCK,
// eight bytes, which may change; steady clocks aren't.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using seconds_in_file = std::atomic<std::int64_t>;

const seconds_in_file* map_file() {
  static const seconds_in_file none{0};
  const char* const name = std::getenv("SHIFTED_CLOCK");
  const int file = name == nullptr ? -1 : ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* const mapped = ::mmap(nullptr, sizeof(seconds_in_file), PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  return mapped == MAP_FAILED ? &none : static_cast<const seconds_in_file*>(mapped);
}

time_t shift() {
  static const seconds_in_file* const seconds = map_file();
  return static_cast<time_t>(seconds->load());
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* at) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int done = real(clock, at);
  if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    at->tv_sec += shift();
  }
  return done;
}

extern "C" int gettimeofday(timeval* at, void* zone) {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int done = real(at, zone);
  if (done == 0) at->tv_sec += shift();
  return done;
}

extern "C" time_t time(time_t* at) {
  static auto* const real = next<time_t(time_t*)>("time");
  const time_t now = real(nullptr) + shift();
  if (at != nullptr) *at = now;
  return now;
}
