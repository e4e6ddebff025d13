// The machinery of "one struct, one list": indices, lookup by name, and visiting with the struct's
// type.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ir/base/check.hpp"
#include "ir/op.hpp"
#include "ir/op_order.hpp"

namespace tirx::ir {

template <typename... Ops>
struct OpList {
  static constexpr std::size_t kSize = sizeof...(Ops);
  static constexpr std::array<OpSpec, kSize> kSpecs{Ops::kSpec...};

  template <typename Op>
  static constexpr OpOrder order_of() {
    if constexpr (requires { Op::kOrder; }) return Op::kOrder;
    return {};
  }

  static constexpr std::array<OpOrder, kSize> kOrders{order_of<Ops>()...};

  template <typename Op>
  static constexpr OpId id_of() {
    constexpr std::array<bool, kSize> same{std::is_same_v<Op, Ops>...};
    for (std::size_t i = 0; i < kSize; ++i) {
      if (same[i]) return static_cast<OpId>(i);
    }
    return static_cast<OpId>(kSize);
  }

  /// Calls f(Op{}) for the operation with this id.
  template <typename F>
  static decltype(auto) visit(OpId id, F&& f) {
    using R = std::common_type_t<decltype(f(Ops{}))...>;
    using Call = R (*)(F&);
    static constexpr std::array<Call, kSize> kCalls{[](F& g) -> R { return g(Ops{}); }...};
    const auto index = static_cast<std::size_t>(id);
    TIRX_CHECK(index < kSize);
    return kCalls[index](f);
  }

  static std::optional<OpId> find(std::string_view name) {
    for (std::size_t i = 0; i < kSize; ++i) {
      if (kSpecs[i].name == name) return static_cast<OpId>(i);
    }
    return std::nullopt;
  }
};

}  // namespace tirx::ir
