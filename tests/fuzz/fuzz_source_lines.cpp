#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/sources/document_reader.hpp"
#include "report/sources/input.hpp"
#include "report/sources/own_documents.hpp"
#include "report/sources/slow_operations.hpp"
#include "tests/fuzz/reading.hpp"

/// The input is a file of lines, each read as a log's or a profile's, as an audit log's, and
/// as one that may be wrapped: any line is counted or skipped at most once, and the sums hold.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scattergate;
  fuzz::checked_reading operations_heard;
  fuzz::checked_reading audit_heard;
  fuzz::checked_reading wrapped_heard;
  report::document_reader wrapped{std::nullopt, wrapped_heard};
  report::slow_operations operations;
  report::audit_lines audit;
  std::string_view rest{reinterpret_cast<const char*>(data), size};
  std::uint64_t lines = 0;
  for (bool is_last = false; !is_last; ++lines) {
    const std::size_t end = rest.find('\n');
    is_last = end == rest.npos;
    const std::string_view line = rest.substr(0, end);
    if (!is_last) rest.remove_prefix(end + 1);
    // A block of its own, so that a step beyond what may be read is seen.
    std::string padded{line};
    padded.append(report::input_lines::padding, '"');
    operations.read(std::string_view{padded}.substr(0, line.size()), operations_heard);
    audit.read(std::string_view{padded}.substr(0, line.size()), audit_heard);
    wrapped.read(std::string_view{padded}.substr(0, line.size()));
  }
  // The statements of a log that never shows which server wrote it wait until its end.
  operations.finish(operations_heard);
  wrapped.finish();
  using fuzz::require;
  require(operations_heard.commands + operations_heard.skipped == lines);
  require(audit_heard.rows + audit_heard.skipped == lines);
  operations_heard.check();
  audit_heard.check();
  wrapped_heard.check();
  return 0;
}
