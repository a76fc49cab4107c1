#pragma once

#include "wire/metered_reader.hpp"

namespace scattergate::routing {

/// The first field of a pipeline's stage, "{$stage: argument}"; false where `member` is no
/// document, has none, or a broken one.
[[nodiscard]] inline bool read_stage(const wire::element& member,
                                     wire::element& stage) noexcept {
  const auto inside = member.as_document();
  return inside && wire::document_reader{*inside}.next(stage);
}

/// Walks the stages of a pipeline, and passes over members that are no documents.
/// Thread-safety: one thread.
class stage_reader {
 public:
  /// `work` outlives the reader. It pays so many units for each stage beside the reading.
  stage_reader(wire::metered_reader members, wire::work_budget& work,
               std::size_t stage_units = 0) noexcept
      : members_(members), work_(work), stage_units_(stage_units) {}
  stage_reader(wire::document_view pipeline, wire::work_budget& work,
               std::size_t stage_units = 0) noexcept
      : stage_reader(wire::metered_reader{pipeline, work}, work, stage_units) {}

  /// The next stage, passing over documents that are none; false at the end, at the first
  /// broken member, and where the budget is spent.
  [[nodiscard]] bool next(wire::element& stage) noexcept {
    for (wire::element member; next_member(member);) {
      if (read_stage(member, stage)) return true;
    }
    return false;
  }

  /// The same for whoever judges the form of stages: a document, whatever it holds.
  [[nodiscard]] bool next(wire::document_view& stage) noexcept {
    for (wire::element member; next_member(member);) {
      if (const auto inside = member.as_document()) {
        stage = *inside;
        return true;
      }
    }
    return false;
  }

  /// The members behind the stage that was read last.
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
