#pragma once

#include <string>
#include <string_view>

#include "routing/verdict.hpp"
#include "routing/words/advice_facts.hpp"

namespace scattergate::routing {

/// Advice for a command whose filter may come from a library, such as an object-document mapper
/// (ODM), instead of from the application.
struct library_advice {
  /// Names the library and the function that may have sent the command, and what to change:
  /// "if save() of a Mongoose document sent this, set ...". Empty if no library is known to
  /// send such a command.
  std::string text;
  bool is_all = false;  ///< no advice for other senders is necessary
};

/// Finds the library that sends commands of this form. `driver`: the name of the client's
/// driver, from its metadata, with the names that libraries append ("nodejs|Mongoose"); empty
/// if unknown. REQUIRES: the collection that `of` judges is sharded.
[[nodiscard]] library_advice library_advice_for(const verdict& of, const advice_facts& facts,
                                                std::string_view driver);

}  // namespace scattergate::routing
