// Which mutable scalars are assigned once, where they are declared?  `i: T.int32 = bx * 256 + tx`
// that nobody changes is a name for a value: what is known about the value (its range, which part
// of it is the same in all lanes) stays known where it is used.
#include <unordered_map>

#include "ir/visit.hpp"
#include "sim/program/analysis.hpp"

namespace tirx::sim {

namespace {

class Search {
 public:
  void run(const ir::Body& body) {
    std::vector<const ir::Storage*> here;
    for (const ir::Stmt& stmt : body) {
      ir::for_each_operand(stmt, [&](const ir::Expr& operand) {
        ir::for_each_expr(operand, [&](const ir::Expr& expr) { use(expr); });
      });
      if (const auto* made = std::get_if<ir::Allocate>(&stmt.node)) {
        if (made->buffer->in_register()) {
          const ir::Storage* storage = made->buffer->storage.get();
          const bool fresh = known_.try_emplace(storage, Known{State::declared, &body}).second;
          if (!fresh) known_[storage].state = State::varies;
          here.push_back(storage);
        }
      }
      if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
        if (store->to.buffer->in_register()) {
          Known& known = known_[store->to.buffer->storage.get()];
          const bool first = known.state == State::declared && known.body == &body;
          known.state = first ? State::assigned : State::varies;
        }
      }
      ir::for_each_body(stmt, [&](const ir::Body& inner) { run(inner); });
    }
    // Behind its body the name may stand for the value of an earlier trip of a loop.
    for (const ir::Storage* storage : here) {
      Known& known = known_[storage];
      if (known.state == State::assigned) known.state = State::closed;
    }
  }

  void collect(std::unordered_set<const ir::Storage*>& into) const {
    for (const auto& [storage, known] : known_) {
      if (known.state == State::closed) into.insert(storage);
    }
  }

 private:
  enum class State : std::uint8_t { varies, declared, assigned, closed };

  struct Known {
    State state = State::varies;
    const ir::Body* body = nullptr;
  };

  void use(const ir::Expr& expr) {
    const ir::Access* access = nullptr;
    bool reads = false;
    if (const auto* load = ir::as<ir::Load>(expr)) {
      access = &load->from;
      reads = true;
    } else if (const auto* pointer = ir::as<ir::AddressOf>(expr)) {
      access = &pointer->element;
    }
    if (access == nullptr || !access->buffer->in_register()) return;
    Known& known = known_[access->buffer->storage.get()];
    if (!reads || known.state != State::assigned) known.state = State::varies;
  }

  std::unordered_map<const ir::Storage*, Known> known_;
};

}  // namespace

void find_constant_scalars(const ir::Body& body, Analysis& analysis) {
  Search search;
  search.run(body);
  search.collect(analysis.constants);
}

}  // namespace tirx::sim
