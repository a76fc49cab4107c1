#pragma once

#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Reads a stage {$name: argument} from `member`, a member of a pipeline's array. Returns false
/// if `member` isn't a document, is empty, or is broken.
[[nodiscard]] inline bool read_stage(const wire::element& member,
                                     wire::element& stage) noexcept {
  const auto inside = member.as_document();
  return inside && wire::document_reader{*inside}.next(stage);
}

/// Reads the stages of a pipeline. Skips members that aren't documents. Thread-safety: one
/// thread at a time.
class stage_reader {
 public:
  /// Reads the stages in the rest of a pipeline's array. `work` must outlive the reader, which
  /// charges it `stage_units` per stage in addition to the cost of reading.
  stage_reader(wire::metered_reader members, wire::work_budget& work,
               std::size_t stage_units = 0) noexcept
      : members_(members), work_(work), stage_units_(stage_units) {}
  /// Reads all stages of a pipeline.
  stage_reader(wire::document_view pipeline, wire::work_budget& work,
               std::size_t stage_units = 0) noexcept
      : stage_reader(wire::metered_reader{pipeline, work}, work, stage_units) {}

  /// Reads the next stage. Skips empty documents. False at the end, at a broken member, and
  /// when `work` is spent.
  [[nodiscard]] bool next(wire::element& stage) noexcept {
    for (wire::element member; next_member(member);) {
      if (read_stage(member, stage)) return true;
    }
    return false;
  }

  /// Reads the next member that is a document, which may be empty or have several fields. For
  /// callers that check whether stages are well-formed.
  [[nodiscard]] bool next(wire::document_view& stage) noexcept {
    for (wire::element member; next_member(member);) {
      if (const auto inside = member.as_document()) {
        stage = *inside;
        return true;
      }
    }
    return false;
  }

  /// The members after the stage that was read last.
  [[nodiscard]] const wire::metered_reader& rest() const noexcept { return members_; }

 private:
  [[nodiscard]] bool next_member(wire::element& member) noexcept {
    while (members_.next(member)) {
      if (!member.is_document()) continue;
      if (stage_units_ == 0 || work_.spend(stage_units_)) return true;
    }
    return false;
  }

  wire::metered_reader members_;
  wire::work_budget& work_;
  std::size_t stage_units_;
};

}  // namespace scattergate::routing
