#include "lower/whole_bytes.hpp"

#include <fmt/format.h>

#include "ir/visit.hpp"

namespace tirx::lower {

namespace {

bool is_packed(const ir::Access& access) {
  return num::bits(access.buffer->dtype) == 4;
}

/// A vector of whole bytes, of a size that one instruction moves.
bool is_whole(int lanes, const ir::Access& access) {
  const int bits = 4 * lanes;
  return access.stride == 1 && bits >= 8 && bits <= 256 && (bits & (bits - 1)) == 0;
}

Diagnostic refusal(Span span, std::string_view what, const ir::Access& access) {
  return Diagnostic{
      span,
      fmt::format("{} {}: two {} elements share a byte, and they move as whole bytes", what,
                  access.buffer->name, num::name(access.buffer->dtype)),
      {Note{{},
            fmt::format("store vectors of 2, 4, 8, … elements: {}.vstore([…], T.cast(v, \"{}x2\"))",
                        access.buffer->name, num::name(access.buffer->dtype))}}};
}

}  // namespace

std::optional<Diagnostic> check_whole_bytes(const ir::Body& body) {
  std::optional<Diagnostic> found;
  const auto on_stmt = [&](const ir::Stmt& stmt) {
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    if (store == nullptr || !is_packed(store->to) || found) return;
    if (!is_whole(store->value->type.lanes, store->to))
      found = refusal(stmt.span, "storing to", store->to);
  };
  const auto on_expr = [&](const ir::Expr& expr) {
    const auto* load = ir::as<ir::Load>(expr);
    if (load == nullptr || !is_packed(load->from) || found) return;
    if (expr->type.is_vector() && !is_whole(expr->type.lanes, load->from))
      found = refusal(expr->span, "loading from", load->from);
  };
  ir::for_each_in_body(body, on_stmt, on_expr);
  return found;
}

}  // namespace tirx::lower
