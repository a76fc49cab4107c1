#include "report/sources/source.hpp"

#include <string_view>

#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"
#include "report/sources/capture/capture.hpp"
#include "report/sources/document_reader.hpp"
#include "report/sources/json_documents.hpp"
#include "report/sources/observer_thread.hpp"
#include "report/sources/own_documents.hpp"
#include "report/sources/recording.hpp"

namespace scattergate::report {
namespace {

/// Lines or documents between two calls of on_progress.
constexpr std::uint64_t a_step = 4096;

/// The text of stored sketches among a digest's lines.
class sketch_lines {
 public:
  void take(std::string_view line) {
    if (line.starts_with(digest::stored_sketches_begin)) is_within_ = true;
    if (!is_within_ || text_.size() > digest::max_stored_sketches_bytes) return;
    text_ += line;
    text_ += '\n';
    is_within_ = !line.starts_with(R"({"end":)");
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  bool is_within_ = false;
};

}  // namespace

source::source(input& from, std::optional<source_kind> as) : input_(from), as_(as) {}

void source::read(observer& to, const progress& on_progress) {
  constexpr std::size_t signature_bytes = 1024;
  const std::string begins{input_.peek(signature_bytes)};
  if (as_ ? *as_ == source_kind::pcap : is_capture(begins)) {
    kind_ = source_kind::pcap;
    read_messages(read_capture, to, on_progress);
  } else if (as_ ? *as_ == source_kind::recording : is_recording(begins)) {
    kind_ = source_kind::recording;
    read_messages(read_recording, to, on_progress);
  } else if (as_ ? *as_ == source_kind::state : digest::is_stored(begins)) {
    kind_ = source_kind::state;
    read_stored(to, on_progress);
  } else if (as_ ? *as_ == source_kind::report : is_saved_report(begins)) {
    kind_ = source_kind::report;
    const auto read = read_saved_report(input_, max_stored_rows, to);
    if (!read) end_.problem = read.error();
  } else if (is_bson(begins)) {
    read_bson(to, on_progress);
  } else if (is_json_documents(begins)) {
    read_json(to, on_progress);
  } else {
    read_lines(to, on_progress);
  }
}

/// Reassembling traffic takes as long as judging it, so a second thread judges.
void source::read_messages(message_reader reader, observer& to, const progress& on_progress) {
  observer_thread judging{to};
  end_ = reader(input_, judging, on_progress);
  judging.finish();
}

void source::finish(document_reader& reader) {
  reader.finish();
  kind_ = reader.kind();
  end_.threshold = reader.threshold();
}

void source::read_bson(observer& to, const progress& on_progress) {
  bson_documents dump{input_};
  document_reader reader{as_, to};
  for (std::uint64_t number = 1; dump.next(); ++number) {
    if (number % a_step == 0 && !on_progress(input_)) break;
    reader.read(dump.document());
  }
  finish(reader);
  if (dump.is_corrupt()) {
    end_.problem = text::failure("a truncated or corrupt document");
  }
}

void source::read_json(observer& to, const progress& on_progress) {
  json_documents documents{input_};
  document_reader reader{as_, to};
  for (std::uint64_t number = 1; documents.next(); ++number) {
    if (number % a_step == 0 && !on_progress(input_)) break;
    if (documents.text().empty()) {
      to.on_skipped(documents.is_too_long() ? skip_reason::too_long : skip_reason::unreadable);
    } else {
      reader.read(documents.text());
    }
  }
  finish(reader);
  if (documents.is_cut()) end_.problem = text::failure("the last document is truncated");
}

void source::keep_sketches(const std::string& text) {
  if (text.empty()) return;
  auto read = digest::read_stored_sketches(text);
  if (read) {
    sketches_ = *std::move(read);
  } else if (!end_.problem) {
    end_.problem = text::failure("its sketches can't be used: " + to_string(read.error()));
  }
}

/// Of a damaged file, the part before the damage is used.
void source::read_stored(observer& to, const progress& on_progress) {
  input_lines lines{input_};
  digest::stored_reader stored{max_stored_rows};
  sketch_lines sketches;
  bool goes_on = true;
  while (goes_on && lines.next()) {
    goes_on = stored.read_line(lines.line()).has_value();
    sketches.take(lines.line());
    if (lines.number() % a_step == 0 && !on_progress(input_)) break;
  }
  if (const auto all = stored.finish(); !all) end_.problem = all.error();
  keep_sketches(sketches.text());
  to.on_digest(stored.rows());
}

void source::read_lines(observer& to, const progress& on_progress) {
  input_lines lines{input_};
  document_reader reader{as_, to};
  while (lines.next()) {
    if (lines.number() % a_step == 0 && !on_progress(input_)) break;
    const std::string_view line = lines.line();
    if (lines.is_too_long()) {
      to.on_skipped(skip_reason::too_long);
    } else if (line.find_first_not_of(" \t") != line.npos) {
      reader.read(line);
    }
  }
  finish(reader);
}

}  // namespace scattergate::report
