// How does a tree node own one child and stay a plain value?  Box<T> is a pointer that copies
// deeply, moves cheaply, and may be empty (an absent optional child).
#pragma once

#include <memory>
#include <utility>

#include "ir/base/check.hpp"

namespace tirx::dsl::ast {

template <typename T>
class Box {
 public:
  Box() = default;

  Box(T value)
      : held_(std::make_unique<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)

  Box(const Box& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}

  Box(Box&& other) noexcept = default;

  Box& operator=(const Box& other) {
    if (this != &other) held_ = other.held_ ? std::make_unique<T>(*other.held_) : nullptr;
    return *this;
  }

  Box& operator=(Box&& other) noexcept = default;
  ~Box() = default;

  explicit operator bool() const { return held_ != nullptr; }

  [[nodiscard]] const T& operator*() const {
    TIRX_CHECK(held_ != nullptr);
    return *held_;
  }

  [[nodiscard]] T& operator*() {
    TIRX_CHECK(held_ != nullptr);
    return *held_;
  }

  const T* operator->() const { return &**this; }

  T* operator->() { return &**this; }

  [[nodiscard]] const T* get() const { return held_.get(); }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace tirx::dsl::ast
