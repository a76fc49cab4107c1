#include "sim/values/value_predicate.hpp"

#include <algorithm>
#include <cmath>

#include <boost/regex.hpp>

#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

/// PCRE's own limit in MongoDB is 16 KiB; a test cluster needs less.
constexpr std::size_t max_pattern_bytes = 4096;

/// Since 8.0 null no longer stands for undefined.
bool is_nullish(const value* candidate) noexcept {
  return candidate == nullptr || candidate->is<null>();
}

/// Throws command_failure if mongos rejects the value in every comparison.
void check_comparable(const value& operand) {
  if (operand.is<undefined>()) {
    throw command_failure(errc::bad_value, "cannot compare to undefined");
  }
}

class equality final : public value_predicate {
 public:
  explicit equality(value operand) : operand_(std::move(operand)) {}
  bool test(const value* candidate) const override {
    if (operand_.is<null>()) return is_nullish(candidate);
    return candidate != nullptr && is_equal(*candidate, operand_);
  }

 private:
  value operand_;
};

enum class relation { less, less_equal, greater, greater_equal };

/// A comparison covers only its operand's type, except for MinKey and MaxKey.
class comparison final : public value_predicate {
 public:
  comparison(relation how, value operand) : operand_(std::move(operand)), how_(how) {
    check_comparable(operand_);
    if (operand_.is<regex>()) {
      throw command_failure(errc::bad_value, "Can't have RegEx as arg to a comparison");
    }
  }

  bool test(const value* candidate) const override {
    if (operand_.is<null>()) return or_equal() && is_nullish(candidate);
    if (candidate == nullptr) return false;
    if (canonical_rank(candidate->type()) != canonical_rank(operand_.type())) {
      return is_boundless() && holds(compare(*candidate, operand_));
    }
    if (is_nan(*candidate) || is_nan(operand_)) {
      return or_equal() && is_equal(*candidate, operand_);
    }
    return holds(compare(*candidate, operand_));
  }

 private:
  static bool is_nan(const value& number) {
    return number.is_number() && std::isnan(number.as_long_double());
  }
  bool or_equal() const {
    return how_ == relation::less_equal || how_ == relation::greater_equal;
  }
  bool is_boundless() const { return operand_.is<min_key>() || operand_.is<max_key>(); }
  bool holds(std::weak_ordering order) const {
    if (order == 0) return or_equal();
    const bool wants_less = how_ == relation::less || how_ == relation::less_equal;
    return wants_less ? order < 0 : order > 0;
  }

  value operand_;
  relation how_;
};

class regex_match final : public value_predicate {
 public:
  explicit regex_match(const regex& operand) : operand_(operand) {
    if (operand.pattern.size() > max_pattern_bytes) {
      throw command_failure(errc::bad_value, "Regular expression is too long");
    }
    boost::regex_constants::syntax_option_type flags = boost::regex::perl;
    const auto has = [&operand](char option) {
      return operand.options.find(option) != std::string::npos;
    };
    if (has('i')) flags |= boost::regex::icase;
    flags |= has('s') ? boost::regex::mod_s : boost::regex::no_mod_s;
    if (!has('m')) flags |= boost::regex::no_mod_m;
    if (has('x')) flags |= boost::regex::mod_x;
    try {
      compiled_.assign(operand.pattern, flags);
    } catch (const std::runtime_error& bad) {
      throw command_failure(static_cast<errc>(51091),
                            std::string{"Regular expression is invalid: "} + bad.what());
    }
  }

  bool test(const value* candidate) const override {
    if (candidate == nullptr) return false;
    if (const auto* same = candidate->as<regex>()) {
      return same->pattern == operand_.pattern && same->options == operand_.options;
    }
    const auto* text = candidate->as<std::string>();
    if (text == nullptr) return false;
    try {
      return boost::regex_search(*text, compiled_);
    } catch (const std::runtime_error& too_complex) {
      throw command_failure(errc::bad_value, too_complex.what());
    }
  }

 private:
  regex operand_;
  boost::regex compiled_;
};

class membership final : public value_predicate {
 public:
  explicit membership(const array& operands) {
    for (const value& each : operands) {
      if (const auto* pattern = each.as<regex>()) {
        tests_.push_back(make_regex_test(*pattern));
      } else if (is_operator_like(each)) {
        throw command_failure(errc::bad_value, "cannot nest $ under $in");
      } else if (each.is<null>() || each.is<undefined>()) {
        tests_.push_back(make_equality(each));
      } else {
        sorted_.push_back(each);
      }
    }
    std::sort(sorted_.begin(), sorted_.end(), value_less{});
  }

  bool test(const value* candidate) const override {
    if (candidate != nullptr &&
        std::binary_search(sorted_.begin(), sorted_.end(), *candidate, value_less{})) {
      return true;
    }
    return std::any_of(tests_.begin(), tests_.end(), [candidate](const predicate_ptr& each) {
      return each->test(candidate);
    });
  }

 private:
  static bool is_operator_like(const value& each) {
    const auto* inner = each.as<document>();
    return inner != nullptr && !inner->empty() && inner->front().name.starts_with('$') &&
           inner->front().name != "$ref" && inner->front().name != "$id" &&
           !(inner->has("$ref") && inner->has("$id"));
  }

  array sorted_;
  std::vector<predicate_ptr> tests_;
};

class existence final : public value_predicate {
 public:
  bool test(const value* candidate) const override { return candidate != nullptr; }
  bool looks_into_arrays() const override { return false; }
};

class type_match final : public value_predicate {
 public:
  explicit type_match(const value& operand) : types_(types_of(operand)) {}
  bool test(const value* candidate) const override {
    return candidate != nullptr &&
           std::find(types_.begin(), types_.end(), candidate->type()) != types_.end();
  }

 private:
  std::vector<bson_type> types_;
};

class size_match final : public value_predicate {
 public:
  explicit size_match(const value& operand) : size_(operand.as_int64()) {
    if (!operand.is_number() || size_ < 0) {
      throw command_failure(errc::bad_value, "$size must be a whole number, not negative");
    }
  }
  bool test(const value* candidate) const override {
    const auto* members = candidate == nullptr ? nullptr : candidate->as<array>();
    return members != nullptr && static_cast<std::int64_t>(members->size()) == size_;
  }
  bool looks_into_arrays() const override { return false; }

 private:
  std::int64_t size_;
};

class modulo final : public value_predicate {
 public:
  explicit modulo(const value& operand) {
    const auto* both = operand.as<array>();
    if (both == nullptr || both->size() != 2 || !(*both)[0].is_number()) {
      throw command_failure(errc::bad_value, "malformed mod, needs to be [divisor, remainder]");
    }
    divisor_ = (*both)[0].as_int64();
    remainder_ = (*both)[1].as_int64();
    if (divisor_ == 0) throw command_failure(errc::bad_value, "divisor cannot be 0");
  }
  bool test(const value* candidate) const override {
    if (candidate == nullptr || !candidate->is_number()) return false;
    if (!std::isfinite(candidate->as_long_double())) return false;
    // The least int64 % -1 overflows; everything is a multiple of 1.
    const std::int64_t rest = divisor_ == -1 ? 0 : candidate->as_int64() % divisor_;
    return rest == remainder_;
  }

 private:
  std::int64_t divisor_ = 1;
  std::int64_t remainder_ = 0;
};

const array& array_operand(std::string_view name, const value& operand) {
  const auto* members = operand.as<array>();
  if (members == nullptr) {
    throw command_failure(errc::bad_value, std::string{name} + " needs an array");
  }
  return *members;
}

}  // namespace

bool passes(const value_predicate& test, const value* candidate) {
  if (test.test(candidate)) return true;
  if (candidate == nullptr || !test.looks_into_arrays()) return false;
  const auto* members = candidate->as<array>();
  return members != nullptr &&
         std::any_of(members->begin(), members->end(),
                     [&test](const value& each) { return test.test(&each); });
}

predicate_ptr make_equality(value operand) {
  check_comparable(operand);
  return std::make_unique<equality>(std::move(operand));
}

predicate_ptr make_regex_test(const regex& operand) {
  return std::make_unique<regex_match>(operand);
}

predicate_ptr make_operator_test(std::string_view name, const value& operand) {
  if (name == "$eq") return make_equality(operand);
  if (name == "$lt") return std::make_unique<comparison>(relation::less, operand);
  if (name == "$lte") return std::make_unique<comparison>(relation::less_equal, operand);
  if (name == "$gt") return std::make_unique<comparison>(relation::greater, operand);
  if (name == "$gte") return std::make_unique<comparison>(relation::greater_equal, operand);
  if (name == "$in") return std::make_unique<membership>(array_operand(name, operand));
  if (name == "$exists") return std::make_unique<existence>();
  if (name == "$type") return std::make_unique<type_match>(operand);
  if (name == "$size") return std::make_unique<size_match>(operand);
  if (name == "$mod") return std::make_unique<modulo>(operand);
  return make_bit_test(name, operand);
}

}  // namespace scattergate::sim
