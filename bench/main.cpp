#include <algorithm>

#include <benchmark/benchmark.h>

#include "bench/cases.hpp"

namespace scattergate::bench {

double least(const std::vector<double>& repetitions) {
  return *std::ranges::min_element(repetitions);
}

}  // namespace scattergate::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  bool failed = false;
  scattergate::bench::register_classify_cases(failed);
  scattergate::bench::register_wire_cases(failed);
  scattergate::bench::register_scrape_cases();
  benchmark::RunSpecifiedBenchmarks();
  return failed ? 1 : 0;
}
