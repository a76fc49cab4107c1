#include "tests/sim/agreement/views.hpp"

#include <string>
#include <utility>

#include "sim/execution/arguments.hpp"

namespace scattergate::sim {

document as_sent(document command) {
  if (command.erase(view_field)) command.begin()->content = view_name;
  return command;
}

document resolved(const document& command) {
  if (!command.has(view_field)) return command;
  array stages = array_argument(command, view_field);
  const std::string& name = command.front().name;
  for (const value& each : array_argument(command, "pipeline")) stages.push_back(each);
  if (name != "aggregate") {
    const document& filter = document_argument(command, name == "find" ? "filter" : "query");
    stages.push_back(document{{"$match", filter}});
  }
  if (name == "count" || name == "distinct") {
    stages.push_back(document{{"$group", document{{"_id", null{}}}}});
  }
  document out{{"aggregate", "c"}, {"pipeline", std::move(stages)}, {"cursor", document{}}};
  if (const value* let = command.find("let")) out.append("let", *let);
  return out;
}

}  // namespace scattergate::sim
