// Preloaded into a daemon under test (LD_PRELOAD): a name server that is silent about every
// name that begins with "silent.", for as long as the test lasts; other names are what they
// are.

#include <cstring>

#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  if (name != nullptr && std::strncmp(name, "silent.", 7) == 0) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, "asked for a silent name\n", 24);
    for (;;) sleep(60);
  }
  using lookup = int(const char*, const char*, const addrinfo*, addrinfo**);
  return reinterpret_cast<lookup*>(dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints,
                                                                    found);
}
