#include "proxy/judging/large_judgement.hpp"

#include "routing/classify.hpp"

namespace scattergate::proxy {
bool large_judgement::advance(judging_memory& memory) noexcept {
  const auto before = computed();
  reading_ = message_reading::of(header_, message_, work_);
  if (reading_.command) {
    const wire::command& command = *reading_.command;
    verdict_ = routing::classify(command, *initial_settings_->catalog, memory.verdict(), work_);
    shape_ = routing::hash_shape(command, memory.shape());
  }
  took_ = computed() - before;
  return true;
}

}  // namespace scattergate::proxy
