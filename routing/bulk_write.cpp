#include "routing/batch.hpp"
#include "routing/write_rules.hpp"
#include "routing/writes.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// One op: {insert: 0, document}, {update: 0, filter, updateMods, ...}, {delete: 0, filter,
/// ...}
struct bulk_op {
  enum class kind : std::uint8_t { insert, update, delete_, other } is = kind::other;
  std::int64_t namespace_index = -1;
  document_view document;
  filtered_write write;
};

/// Nothing where the op can't be read.
std::optional<bulk_op> read_op(document_view one) noexcept {
  bulk_op op;
  bool sound = true;
  wire::document_reader reader{one};
  bool is_first = true;
  for (element field; reader.next(field); is_first = false) {
    if (is_first) {
      op.namespace_index = field.as_int64().value_or(-1);
      if (field.key() == "insert") op.is = bulk_op::kind::insert;
      if (field.key() == "update") op.is = bulk_op::kind::update;
      if (field.key() == "delete") op.is = bulk_op::kind::delete_;
      continue;
    }
    const auto inner = field.is_document() ? field.as_document() : std::nullopt;
    if (field.key() == "document" || field.key() == "filter") sound &= inner.has_value();
    if (field.key() == "document" && inner) op.document = *inner;
    if (field.key() == "filter" && inner) op.write.filter = *inner;
    if (field.key() == "updateMods") op.write.update = field;
    if (field.key() == "multi") op.write.multi = field.is_truthy();
    if (field.key() == "upsert") op.write.upsert = field.is_truthy();
    if (field.key() == "collation") op.write.collation = field;
  }
  if (!sound || reader.is_corrupt() || op.is == bulk_op::kind::other) return std::nullopt;
  if (op.is == bulk_op::kind::delete_) op.write.is = filtered_write::kind::delete_;
  return op;
}

/// The namespaces of a bulkWrite, remembered one at a time: ops mostly stay on one.
/// Thread-safety: one thread.
class namespace_table {
 public:
  struct entry {
    std::string_view database;
    std::string_view name;
    resolved_namespace on;
  };

  namespace_table(const wire::command& command, const judging& with) noexcept
      : command_(command), with_(with) {}

  /// The namespace at `index`, or null where the command names none there.
  [[nodiscard]] const entry* at(std::int64_t index) noexcept {
    if (index < 0) return nullptr;
    if (index == index_) return &current_;
    batch_reader infos{command_, "nsInfo"};
    std::int64_t position = 0;
    for (document_view info; infos.next(info); ++position) {
      if (position == index) return load(index, info) ? &current_ : nullptr;
    }
    return nullptr;
  }

 private:
  bool load(std::int64_t index, document_view info) noexcept {
    const auto ns = wire::find_field(info, "ns");
    if (!ns || !ns->is_string()) return false;
    const std::string_view full = ns->as_string();
    const std::size_t dot = full.find('.');
    if (dot == std::string_view::npos) return false;
    current_.database = full.substr(0, dot);
    current_.name = full.substr(dot + 1);
    current_.on = resolve(with_.entries, current_.database, current_.name);
    index_ = index;
    return true;
  }

  const wire::command& command_;
  const judging& with_;
  std::int64_t index_ = -1;
  entry current_;
};

statement judge_op(const bulk_op& op, const resolved_namespace& on,
                   const judging& with) noexcept {
  if (on.sharded == nullptr) return on.answer();
  if (op.is == bulk_op::kind::insert) return judge_insert(op.document, *on.sharded, with);
  return judge(op.write, *on.sharded, with);
}

}  // namespace

void judge_bulk_write(const wire::command& command, const command_options& options,
                      const judging& with, verdict_builder& to) noexcept {
  namespace_table namespaces{command, with};
  batch_reader ops{command, "ops"};
  for (document_view one; ops.next(one);) {
    const std::size_t mark = with.memory.mark();
    const bool held = to.holds_scratch();
    auto op = read_op(one);
    const auto* on = op ? namespaces.at(op->namespace_index) : nullptr;
    if (on == nullptr) {
      to.add(statement::unknown(reason::unreadable));
      continue;
    }
    op->write.let = options.let;
    to.add(judge_op(*op, on->on, with), on->database, on->name);
    if (held || !to.holds_scratch()) with.memory.rewind(mark);
  }
  if (ops.is_corrupt()) to.add(statement::unknown(reason::unreadable));
}

}  // namespace scattergate::routing
