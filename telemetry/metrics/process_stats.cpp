#include "telemetry/metrics/process_stats.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <boost/version.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace scattergate::telemetry {
namespace {

std::uint64_t number(const std::vector<std::string>& fields, std::size_t at) {
  std::uint64_t value = 0;
  if (at < fields.size()) {
    const std::string& text = fields[at];
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return value;
}

/// The fields of /proc/self/stat after the command name, which may contain spaces and
/// parentheses. The first one is proc(5)'s field 3.
std::vector<std::string> stat_fields() {
  std::ifstream file{"/proc/self/stat"};
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest{line.substr(name_end + 1)};
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

/// Boot time of the machine, in seconds since the Unix epoch.
double boot_time_seconds() {
  std::ifstream file{"/proc/stat"};
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string name;
    double seconds = 0;
    if (words >> name >> seconds && name == "btime") return seconds;
  }
  return 0;
}

std::uint64_t count_open_fds() {
  std::error_code error;
  std::uint64_t count = 0;
  std::filesystem::directory_iterator entry{"/proc/self/fd", error};
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    ++count;
  }
  return count == 0 ? 0 : count - 1;  // without the descriptor that reads the directory
}

}  // namespace

build_info this_build() noexcept {
  // SCATTERGATE_VERSION is the version in the top CMakeLists.txt.
#ifdef __clang__
  return {SCATTERGATE_VERSION, __VERSION__, BOOST_LIB_VERSION};
#else
  return {SCATTERGATE_VERSION, "gcc " __VERSION__, BOOST_LIB_VERSION};
#endif
}

process_stats read_process_stats() {
  constexpr std::size_t user_ticks = 14 - 3;
  constexpr std::size_t system_ticks = 15 - 3;
  constexpr std::size_t start_ticks = 22 - 3;
  constexpr std::size_t virtual_bytes = 23 - 3;
  constexpr std::size_t resident_pages = 24 - 3;

  const std::vector<std::string> fields = stat_fields();
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  process_stats stats;
  stats.cpu_seconds =
      static_cast<double>(number(fields, user_ticks) + number(fields, system_ticks)) / ticks;
  stats.virtual_bytes = number(fields, virtual_bytes);
  stats.resident_bytes =
      number(fields, resident_pages) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  stats.start_time_seconds =
      boot_time_seconds() + static_cast<double>(number(fields, start_ticks)) / ticks;
  stats.open_fds = count_open_fds();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.max_fds = limit.rlim_cur;
  return stats;
}

}  // namespace scattergate::telemetry
