#include "routing/statements/measured_pipeline.hpp"

#include <utility>

#include "routing/bounds/stage_reader.hpp"
#include "routing/pipeline/pipeline_head.hpp"
#include "routing/stages/stage.hpp"
#include "routing/statements/measurements.hpp"

namespace scattergate::routing {

using wire::element;

namespace {

/// Visits the filters of the leading $match stages, which mongos merges and applies to
/// everything that is read. Sets `first` to the first stage. False if `visit` returns false.
template <typename Visit>
bool visit_leading_filters(const pipeline_source& source, const view_chain& chain,
                           element& first, wire::work_budget& work, Visit visit) noexcept {
  bool is_first = true;
  for (std::size_t i = 0; i < chain.count; ++i) {
    if (i + 1 == chain.count && !source.varying_path.empty()) return true;
    if (i + 1 == chain.count && source.filter) return visit(*source.filter);
    stage_reader stages{chain.from_base(i), work, units_of_stage};
    for (element stage; stages.next(stage);) {
      if (std::exchange(is_first, false)) first = stage;
      if (stage_of(stage.key()).passes != stage_pass::matches) return true;
      if (!visit(stage)) return false;
    }
  }
  return source.rest || !source.last_match || visit(*source.last_match);
}

/// Passes all stages to `head`, those of views first. `only_later`: without the leading $match
/// stages.
void pass_stages(pipeline_head& head, const pipeline_source& source, const view_chain& chain,
                 bool only_later, wire::work_budget& work) noexcept {
  bool is_leading = true;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const bool is_last = i + 1 == chain.count;
    if (is_last && source.filter && !(only_later && is_leading)) {
      (void)head.pass_match(*source.filter);
    }
    stage_reader stages{chain.from_base(i), work, units_of_stage};
    for (element stage; stages.next(stage);) {
      is_leading = is_leading && stage_of(stage.key()).passes == stage_pass::matches;
      if (only_later && is_leading) continue;
      if (!head.pass(stage)) return;
    }
  }
}

/// Whether conditions that follow other stages may change how mongos plans the leading ones:
/// together they may match nothing, or mongos may plan by an $or among them.
bool may_change_form(const pipeline_source& source, const view_chain& chain,
                     const filter_walk& walk, const judging_context& context) noexcept {
  scratch& memory = context.memory;
  const std::size_t mark = memory.mark();
  filter_walk later{walk.target(), walk.rules(), memory};
  pipeline_head behind{later, memory};
  pass_stages(behind, source, chain, true, memory.work());
  bool may_change = false;
  if (behind.has_filter() || later.may_match_nothing()) {
    filter_walk all{walk.target(), walk.rules(), memory};
    pipeline_head head{all, memory};
    pass_stages(head, source, chain, false, memory.work());
    (void)later.finish();
    (void)all.finish();
    may_change = all.may_match_nothing() || later.may_match_nothing() ||
                 later.facts().has_alternatives || later.facts().has_empty_list;
  }
  memory.rewind(mark);
  return may_change;
}

}  // namespace

statement judge_measurements(const pipeline_source& source, const view_chain& chain,
                             filter_walk& walk, const judging_context& context) noexcept {
  element first;
  filter_fault fault = filter_fault::none;
  filter_walk together{walk.target(), walk.rules(), context.memory};
  bool has_filter = false;
  const bool sound = visit_leading_filters(
      source, chain, first, context.memory.work(), [&](const element& matched) {
        const auto filter = matched.as_document();
        has_filter |= filter.has_value();
        return !filter || (add_measurement_filter(walk, *filter, *chain.base.series,
                                                  derives_time_bounds(context.entries), fault,
                                                  context.memory) &&
                           together.add(*filter));
      });
  if (fault == filter_fault::none) fault = together.fault();
  if (!sound) return statement::of(fault, walk.target(), context.memory);
  (void)together.finish();
  if (together.may_match_nothing() || may_change_form(source, chain, walk, context)) {
    walk.note_may_match_nothing();
  }
  statement made = statement::of(walk, target_of(walk, context.memory));
  if (stage_of(first.key()).asks_by_nature()) {
    made.goes_to.why = reason::by_nature;
  } else if (made.goes_to.bounds == bounds_kind::full && !has_filter) {
    made.goes_to.why = reason::no_leading_match;
  }
  return made;
}

}  // namespace scattergate::routing
