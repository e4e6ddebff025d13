// What must be refused because some threads have left a round or a loop: they take no exit in it
// later, and assign nothing there, though they are here again behind it.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr auto kLeavingFaults = std::to_array<PlantedFault>({
    {"left: a loop of other lengths returns", "", "", R"(for pi in range(bx - 7):
    return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(lane % 2):
    return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have returned in this loop)"},
    {"left: a loop of other beginnings returns", "", "", R"(for pi in range(7 - bx, 2):
    return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(7 - warp, 7):
    return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have returned in this loop)"},
    {"left: a while loop of other lengths returns", "", "", R"(while bx > 7:
    return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(while $G:
    return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have returned in this loop)"},
    {"left: a return behind continue", "", "", R"(for pi in range(3):
    if bx > 7:
        return
    if $G:
        continue
Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(3):
    if $G:
        continue
    if bx > 7:
        return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have returned in this loop)"},
    {"left: a return in the rounds of who is left", "", "", R"(for pi in range(3):
    for pj in range(3):
        if $G:
            break
    if bx > 7:
        return
Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(3):
    for pj in range(3):
        if bx > 7:
            return
        if $G:
            break
Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have returned in this loop)"},
    {"left: a break behind continue", "", "", R"(for pi in range(3):
    if bx > pi:
        break
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)
    if $G:
        continue)",
     R"(for pi in range(3):
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused may leave this loop at different times
    if $G:
        continue
    if bx > pi:
        break)"},
    {"left: a number assigned behind continue", "pn: T.int32 = 0", "", R"(for pi in range(3):
    pn = pi
    if $G:
        continue
if pn > 0:
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(3):
    if $G:
        continue
    pn = pi
if pn > 0:
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id)"},
    {"left: a number assigned while some are left", "pn: T.int32 = 0", "", R"(for pi in range(3):
    pn = pi
    if bx > pi:
        break
if pn > 0:
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(3):
    pn = pi
    if $G:
        break
if pn > 0:
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id)"},
    {"left: a number assigned in an inner loop that some leave", "pn: T.int32 = 0", "",
     R"(for pi in range(3):
    for pj in range(3):
        if $G:
            break
    pn = pi
if pn > 0:
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0))",
     R"(for pi in range(3):
    for pj in range(3):
        if $G:
            break
        pn = pi
if pn > 0:
    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id)"},
});

}  // namespace

PlantedList planted_in_leaving() {
  return planted_list<kLeavingFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
