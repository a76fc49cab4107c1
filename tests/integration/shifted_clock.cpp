// Preloaded by test_fleet.py: wall clocks are off by SHIFTED_SECONDS, steady ones aren't.

#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <sys/time.h>

namespace {

time_t shift() {
  static const time_t seconds = [] {
    const char* const given = std::getenv("SHIFTED_SECONDS");
    return given == nullptr ? time_t{0} : static_cast<time_t>(std::atoll(given));
  }();
  return seconds;
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
