#include "config/options/options.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace scattergate::config {
namespace {

constexpr unsigned default_threads = 2;

// The smallest quota of the process's own cgroup and of the enclosing ones.
std::optional<unsigned> cgroup_cpus() {
  std::ifstream own{"/proc/self/cgroup"};
  std::string path;
  for (std::string line; std::getline(own, line);) {
    if (line.starts_with("0::/")) path = line.substr(3);
  }
  std::optional<unsigned> least;
  for (;; path.erase(path.rfind('/'))) {
    if (path == "/") path.clear();
    std::ifstream file{"/sys/fs/cgroup" + path + "/cpu.max"};
    std::string line;
    std::getline(file, line);
    if (const auto cpus = cpus_of_quota(line)) least = std::min(least.value_or(*cpus), *cpus);
    if (path.empty()) return least;
  }
}

}  // namespace

std::optional<unsigned> cpus_of_quota(std::string_view cpu_max) {
  const char* const end = cpu_max.data() + cpu_max.size();
  std::uint64_t quota = 0;
  std::uint64_t period = 0;
  const auto first = std::from_chars(cpu_max.data(), end, quota);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ' ') return std::nullopt;
  if (std::from_chars(first.ptr + 1, end, period).ec != std::errc{}) return std::nullopt;
  if (period == 0) return std::nullopt;
  const std::uint64_t cpus = std::max<std::uint64_t>(1, quota / period);
  return static_cast<unsigned>(std::min<std::uint64_t>(cpus, 1024));
}

unsigned effective_threads(const options& options) {
  if (options.threads != 0) return options.threads;
  return std::min(default_threads, cgroup_cpus().value_or(default_threads));
}

}  // namespace scattergate::config
