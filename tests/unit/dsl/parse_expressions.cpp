// How do expressions group?  Expected shapes are worked out from the operator table (section 6.17)
// and the expression grammar of the Python reference.
#include <doctest/doctest.h>

#include "tests/unit/dsl/parse_support.hpp"

using tirx::dsl::test::parse_text;
using tirx::dsl::test::shape;
using tirx::dsl::test::shape_of;

TEST_CASE("each precedence level binds tighter than the one above it") {
  CHECK(shape_of("a or b and c") == "(or a (and b c))");
  CHECK(shape_of("a and not b") == "(and a (not b))");
  CHECK(shape_of("not a == b") == "(not (compare a == b))");
  CHECK(shape_of("a < b | c") == "(compare a < (| b c))");
  CHECK(shape_of("a | b ^ c") == "(| a (^ b c))");
  CHECK(shape_of("a ^ b & c") == "(^ a (& b c))");
  CHECK(shape_of("a & b << c") == "(& a (<< b c))");
  CHECK(shape_of("a << b + c") == "(<< a (+ b c))");
  CHECK(shape_of("a + b * c") == "(+ a (* b c))");
  CHECK(shape_of("a * -b") == "(* a (- b))");
  CHECK(shape_of("-a ** b") == "(- (** a b))");
  CHECK(shape_of("a ** -b") == "(** a (- b))");
  CHECK(shape_of("a ** b.c") == "(** a (.c b))");
}

TEST_CASE("operators of one level group to the left, the power to the right") {
  for (const char* op : {"+", "-", "*", "/", "//", "%", "@", "<<", ">>", "&", "^", "|"}) {
    const std::string o = op;
    CHECK(shape_of("a " + o + " b " + o + " c") == "(" + o + " (" + o + " a b) c)");
  }
  CHECK(shape_of("a - b + c") == "(+ (- a b) c)");
  CHECK(shape_of("a // b * c % d / e") == "(/ (% (* (// a b) c) d) e)");
  CHECK(shape_of("a ** b ** c") == "(** a (** b c))");
  CHECK(shape_of("a ** -b ** c") == "(** a (- (** b c)))");
  CHECK(shape_of("2 ** -1 * 3") == "(* (** 2 (- 1)) 3)");
}

TEST_CASE("a layout's axis binds like a product") {
  CHECK(shape_of("S[(8, 4) : (4 @ laneid, 1)]") ==
        "(at S (slice (tuple 8 4) (tuple (@ 4 laneid) 1) _))");
  CHECK(shape_of("S[32 : 1 @ laneid] + R[4 : 1 @ warpid] + 2 @ warpid + 64") ==
        "(+ (+ (+ (at S (slice 32 (@ 1 laneid) _)) (at R (slice 4 (@ 1 warpid) _))) (@ 2 warpid)) "
        "64)");
}

TEST_CASE("signs and negations stack") {
  CHECK(shape_of("- - +~a") == "(- (- (+ (~ a))))");
  CHECK(shape_of("not not a") == "(not (not a))");
  CHECK(shape_of("-a * b") == "(* (- a) b)");
  CHECK(shape_of("a - -b") == "(- a (- b))");
  CHECK(shape_of("not a in b") == "(not (compare a in b))");
}

TEST_CASE("and, or and comparisons gather their operands") {
  CHECK(shape_of("a and b and c") == "(and a b c)");
  CHECK(shape_of("a or b or c and d and e") == "(or a b (and c d e))");
  CHECK(shape_of("(a and b) and c") == "(and (and a b) c)");
  CHECK(shape_of("a < b <= c == d != e > f >= g") == "(compare a < b <= c == d != e > f >= g)");
  CHECK(shape_of("a is b is not c in d not in e") == "(compare a is b is not c in d not in e)");
  CHECK(shape_of("(a < b) < c") == "(compare (compare a < b) < c)");
  CHECK(shape_of("a < b + 1 < c") == "(compare a < (+ b 1) < c)");
  CHECK(shape_of("a is not b") == "(compare a is not b)");
  CHECK(shape_of("a is (not b)") == "(compare a is (not b))");
}

TEST_CASE("conditional expressions nest to the right and bind weaker than or") {
  CHECK(shape_of("a if b else c") == "(if b a c)");
  CHECK(shape_of("a or b if c or d else e or f") == "(if (or c d) (or a b) (or e f))");
  CHECK(shape_of("a if b else c if d else e") == "(if b a (if d c e))");
  CHECK(shape_of("(a if b else c) if d else e") == "(if d (if b a c) e)");
  CHECK(shape_of("a if b else lambda: c if d else e") == "(if b a (lambda (if d c e)))");
}

TEST_CASE("lambdas") {
  CHECK(shape_of("lambda: 1") == "(lambda 1)");
  CHECK(shape_of("lambda x, y=2, *args, z, w=3, **kw: x") ==
        "(lambda x y=2 *args kw z kw w=3 **kw x)");
  CHECK(shape_of("lambda a, /, b, *, c: a") == "(lambda pos a b kw c a)");
  CHECK(shape_of("lambda i, j,: i") == "(lambda i j i)");
  CHECK(shape_of("lambda: (lambda x: x)") == "(lambda (lambda x x))");
  CHECK(shape_of("f(lambda i: i % 2, 3)") == "(call f (lambda i (% i 2)) 3)");
}

TEST_CASE("calls") {
  CHECK(shape_of("f()") == "(call f)");
  CHECK(shape_of("f(a, *b, c=d, **e,)") == "(call f a *b c=d **e)");
  CHECK(shape_of("f(*a, b, *c)") == "(call f *a b *c)");
  CHECK(shape_of("f(a)(b)[c].d(e)") == "(call (.d (at (call (call f a) b) c)) e)");
  CHECK(shape_of("f(x for x in y)") == "(call f (gen x (for x y)))");
  CHECK(shape_of("f((x for x in y), z)") == "(call f (gen x (for x y)) z)");
  CHECK(shape_of("f(a == b)") == "(call f (compare a == b))");
  CHECK(shape_of("f(a if b else c, *d if e else g)") == "(call f (if b a c) *(if e d g))");
}

TEST_CASE("subscripts, slices and starred indices") {
  CHECK(shape_of("A[i]") == "(at A i)");
  CHECK(shape_of("A[i,]") == "(at, A i)");
  CHECK(shape_of("A[i, j]") == "(at, A i j)");
  CHECK(shape_of("A[(i, j)]") == "(at A (tuple i j))");
  CHECK(shape_of("A[:]") == "(at A (slice _ _ _))");
  CHECK(shape_of("A[1:]") == "(at A (slice 1 _ _))");
  CHECK(shape_of("A[:2]") == "(at A (slice _ 2 _))");
  CHECK(shape_of("A[::3]") == "(at A (slice _ _ 3))");
  CHECK(shape_of("A[1:2:3]") == "(at A (slice 1 2 3))");
  CHECK(shape_of("A[1::3]") == "(at A (slice 1 _ 3))");
  CHECK(shape_of("A[::]") == "(at A (slice _ _ _))");
  CHECK(shape_of("A[i, j : j + 4 : 2, ..., :]") ==
        "(at, A i (slice j (+ j 4) 2) ... (slice _ _ _))");
  CHECK(shape_of("A[*idx]") == "(at, A *idx)");
  CHECK(shape_of("A[0, *idx, 1]") == "(at, A 0 *idx 1)");
  CHECK(shape_of("A[a if b else c : d]") == "(at A (slice (if b a c) d _))");
}

TEST_CASE("names may look like keywords with an underscore, or have two of them") {
  CHECK(shape_of("T.ptx.cp.async_.commit_group()") ==
        "(call (.commit_group (.async_ (.cp (.ptx T)))))");
  CHECK(shape_of("T.ptx.ld.global_.nc(p)") == "(call (.nc (.global_ (.ld (.ptx T)))) p)");
  CHECK(shape_of("T.ptx.wait__ld.shared__cta") == "(.shared__cta (.wait__ld (.ptx T)))");
  CHECK(shape_of("match + case + type + print + _") == "(+ (+ (+ (+ match case) type) print) _)");
}

TEST_CASE("tuples, lists and parentheses") {
  CHECK(shape_of("()") == "(tuple)");
  CHECK(shape_of("(a)") == "a");
  CHECK(shape_of("(a,)") == "(tuple a)");
  CHECK(shape_of("a,") == "(tuple a)");
  CHECK(shape_of("a, b") == "(tuple a b)");
  CHECK(shape_of("(a, *b, c,)") == "(tuple a *b c)");
  CHECK(shape_of("[]") == "(list)");
  CHECK(shape_of("[a, *b,]") == "(list a *b)");
  CHECK(shape_of("((a, b), [c, (d,)])") == "(tuple (tuple a b) (list c (tuple d)))");
  CHECK(shape_of("*a, b") == "(tuple *a b)");
}

TEST_CASE("dicts") {
  CHECK(shape_of("{}") == "(dict)");
  CHECK(shape_of("{a: b, 'c': d,}") == "(dict a:b 'c':d)");
  CHECK(shape_of("{**a, b: c}") == "(dict _:a b:c)");
  CHECK(shape_of("{a: b for a, b in c if d}") == "(dictcomp a:b (for (tuple a b) c if d))");
}

TEST_CASE("comprehensions") {
  CHECK(shape_of("[x for x in y]") == "(listcomp x (for x y))");
  CHECK(shape_of("[x * 2 for x in range(4) if x if x > 1 for z in x]") ==
        "(listcomp (* x 2) (for x (call range 4) if x if (compare x > 1))(for z x))");
  CHECK(shape_of("((a, b) for a, b in c)") == "(gen (tuple a b) (for (tuple a b) c))");
  CHECK(shape_of("[a if b else c for d in e or f]") == "(listcomp (if b a c) (for d (or e f)))");
  CHECK(shape_of("[[y for y in x] for x in z]") == "(listcomp (listcomp y (for y x)) (for x z))");
  CHECK(shape_of("[a for (b, [c, d]), *e in f]") ==
        "(listcomp a (for (tuple (tuple b (list c d)) *e) f))");
}

TEST_CASE("numbers") {
  CHECK(shape_of("0xFF_ff") == "65535");
  CHECK(shape_of("0o17") == "15");
  CHECK(shape_of("0b1010") == "10");
  CHECK(shape_of("1_000_000") == "1000000");
  CHECK(shape_of("00") == "0");
  CHECK(shape_of("18446744073709551615") == "18446744073709551615");
  CHECK(shape_of("18446744073709551616") == "overflow");
  CHECK(shape_of("0xFFFFFFFFFFFFFFFFF") == "overflow");
  const auto value = [](const std::string& text) {
    const auto parsed = parse_text(text);
    REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
    return parsed.body()[0]
        .as<tirx::dsl::ast::ExprStmt>()
        ->value.as<tirx::dsl::ast::FloatLit>()
        ->value;
  };
  CHECK(value("1.5") == 1.5);
  CHECK(value(".5") == 0.5);
  CHECK(value("1.") == 1.0);
  CHECK(value("1e3") == 1000.0);
  CHECK(value("1_0.2_5e-0_1") == 1.025);
  CHECK(value("1E+2") == 100.0);
  CHECK(value("0.1") == 0x1.999999999999ap-4);
  CHECK(value("5e-324") == 0x1p-1074);
  CHECK(value("1e-400") == 0.0);
  CHECK(value("1e999") > 0x1.fffffffffffffp+1023);
}

TEST_CASE("constants and names") {
  CHECK(shape_of("None, True, False, ..., x1, _") == "(tuple None True False ... x1 _)");
}
