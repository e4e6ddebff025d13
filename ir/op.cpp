#include "ir/op.hpp"

namespace tirx::ir {

std::string_view to_string(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::witnessed:
      return "witnessed";
    case Fidelity::published:
      return "published";
    case Fidelity::modelled:
      return "modelled";
    case Fidelity::unordered:
      return "unordered";
  }
  return "";
}

}  // namespace tirx::ir
