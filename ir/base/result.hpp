// How does a function say that the user's script is wrong?  Result<T> is a value or a Diagnostic.
// (std::expected is C++23.)  Our own mistakes are TIRX_CHECK, see check.hpp.
#pragma once

#include <utility>
#include <variant>

#include "ir/base/check.hpp"
#include "ir/base/diagnostic.hpp"

namespace tirx {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Diagnostic error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }

  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    TIRX_CHECK(ok());
    return std::get<0>(state_);
  }

  [[nodiscard]] const T& value() const& {
    TIRX_CHECK(ok());
    return std::get<0>(state_);
  }

  [[nodiscard]] T&& value() && {
    TIRX_CHECK(ok());
    return std::get<0>(std::move(state_));
  }

  [[nodiscard]] const Diagnostic& error() const {
    TIRX_CHECK(!ok());
    return std::get<1>(state_);
  }

  T& operator*() & { return value(); }

  const T& operator*() const& { return value(); }

  T* operator->() { return &value(); }

  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Diagnostic> state_;
};

}  // namespace tirx
