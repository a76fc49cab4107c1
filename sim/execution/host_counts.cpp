#include "sim/execution/host_counts.hpp"

namespace scattergate::sim {

void host_counts::add(counted_command command, std::size_t targeted,
                      std::size_t owning) noexcept {
  width how = width::many_shards;
  if (owning == 0) {
    how = width::unsharded;
  } else if (targeted == 1) {
    how = width::one_shard;
  } else if (targeted >= owning) {
    how = width::all_shards;
  }
  ++counts_[static_cast<std::size_t>(command)][static_cast<std::size_t>(how)];
}

document host_counts::to_document() const {
  constexpr std::array commands{"find", "insert", "update", "delete", "aggregate"};
  constexpr std::array widths{"allShards", "manyShards", "oneShard", "unsharded"};
  document out;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    document one;
    for (std::size_t j = 0; j < widths.size(); ++j) one.append(widths[j], counts_[i][j]);
    out.append(commands[i], std::move(one));
  }
  return out;
}

}  // namespace scattergate::sim
