#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(what)
#endif

#include "bench/catalogs.hpp"
#include "bench/hostile.hpp"
#include "routing/classify.hpp"

/// The cost of judging expensive commands.
///
///     scattergate-judging-cost            times of the largest ones, and their cost in units
///     scattergate-judging-cost COUNT      each kind with COUNT and with twice as many, a
///     callgrind
///                                         dump after each (bench/judging_growth)
namespace scattergate::bench {
namespace {

struct judged {
  routing::verdict verdict;
  wire::work_budget work;
};

[[gnu::noinline]] judged judge(const hostile_request& request, routing::scratch& memory,
                               wire::work_budget work) {
  judged made{{}, work};
  made.verdict = routing::classify(request.command(), common_catalog(), memory, made.work);
  return made;
}

void show_growth(routing::scratch& memory, std::size_t count) {
  (void)common_catalog();  // made once, so that no measurement includes it
  for (const hostile_kind& kind : hostile_kinds()) {
    for (const std::size_t n : {count, 2 * count}) {
      const hostile_request request = kind.make(n);
      const std::string name = std::string{kind.name} + " " + std::to_string(n);
      CALLGRIND_ZERO_STATS;
      const judged made = judge(request, memory, wire::work_budget{});
      CALLGRIND_DUMP_STATS_AT(name.c_str());
      if (made.verdict.abandoned) std::printf("%s abandoned\n", kind.name);
    }
  }
}

/// The CPU time of this thread, without that of other programs.
double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Whether the honest ones were judged completely.
bool show_times(routing::scratch& memory) {
  bool are_whole = true;
  std::printf("%-20s%10s%8s%9s%10s%9s  %s\n", "kind", "bytes", "ms", "ns/byte", "units/1e6",
              "ns/unit", "judged");
  for (const hostile_kind& kind : hostile_kinds()) {
    const hostile_request request = kind.make(kind.largest);
    double least_ns = 1e18;
    judged made;
    for (int i = 0; i != 3; ++i) {
      const double begin = cpu_ns();
      made = judge(request, memory, wire::work_budget::for_message(request.size_bytes()));
      least_ns = std::min(least_ns, cpu_ns() - begin);
    }
    const auto bytes = static_cast<double>(request.size_bytes());
    const auto units = static_cast<double>(made.work.spent());
    std::printf("%-20s%10.0f%8.1f%9.2f%10.2f%9.2f  %s%s\n", kind.name, bytes, least_ns / 1e6,
                least_ns / bytes, units / 1e6, least_ns / units,
                std::string{label(made.verdict.routing)}.c_str(),
                made.verdict.abandoned ? ", abandoned"
                : made.work.is_low()   ? ", low"
                : made.verdict.widened ? ", widened"
                                       : "");
    if (kind.is_honest && made.work.is_low()) are_whole = false;
  }
  return are_whole;
}

}  // namespace
}  // namespace scattergate::bench

int main(int argc, char** argv) {
  using namespace scattergate;
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  if (argc > 1) {
    bench::show_growth(memory, std::stoul(argv[1]));
  } else {
    return bench::show_times(memory) ? 0 : 1;
  }
  return 0;
}
