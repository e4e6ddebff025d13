// The host part: Python at module level.
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

TEST_CASE("integers are exact, and overflow is an error") {
  CHECK(printed("print(7 // -2, 7 % -2, -7 // 2, 2 ** 40, 7 / 2, 1 << 10, -9 >> 1)") ==
        "-4 -1 -4 1099511627776 3.5 1024 -5\n");
  CHECK(printed("x = 9223372036854775807 + 1") ==
        "1:5: integer overflow: the result does not fit 64 bits");
  CHECK(printed("print(-9223372036854775808)") == "-9223372036854775808\n");
  CHECK(printed("x = 3 * 2 ** 62") == "1:5: integer overflow: the result does not fit 64 bits");
  CHECK(printed("x = 99999999999999999999") ==
        "1:5: 99999999999999999999 does not fit a 64-bit integer");
  CHECK(printed("x = 1 // 0") == "1:5: division by zero");
  CHECK(printed("x = 1 << -1") == "1:5: negative shift count");
  CHECK(printed("print(True + 1, True & False, 3 & 6, ~5, not 0)") == "2 False 2 -6 True\n");
}

TEST_CASE("floats print as Python prints them") {
  CHECK(printed("print(0.1, 1.0, 1e-7, 1e16, 123456789.0, 2.5e-5, -0.0)") ==
        "0.1 1.0 1e-07 1e+16 123456789.0 2.5e-05 -0.0\n");
  CHECK(printed("print(float(\"inf\"), round(2.5), round(3.14159, 2), int(-3.9))") ==
        "inf 2 3.14 -3\n");
}

TEST_CASE("strings and f-strings") {
  CHECK(printed(
            "n = 5\nprint(f\"{n:>4}|{n:04d}|{n:#x}|{3.14159:.2f}|{'a':<3}|{n!r}|{1234567:,}\")") ==
        "   5|0005|0x5|3.14|a  |5|1,234,567\n");
  CHECK(printed("w = 8\nprint(f\"{3:>{w}}\", f\"{0.5:%}\", f\"{255:b}\", f\"{1e10:g}\")") ==
        "       3 50.000000% 11111111 1e+10\n");
  CHECK(printed("print(f\"{3:s}\")") == "1:9: format 's' is not for integers");
  CHECK(printed(
            "print('a,b'.split(','), '-'.join(['x', 'y']), 'abc'[1], 'abc'[-2:], 'Ab'.upper())") ==
        "['a', 'b'] x-y b bc AB\n");
  CHECK(printed("print('it\\'s', repr('it\\'s'), repr('a\\n'))") == "it's \"it's\" 'a\\n'\n");
  CHECK(printed("print('{} {x:.1f}'.format(3, x=2.0))") == "3 2.0\n");
}

TEST_CASE("containers") {
  CHECK(
      printed("a = [1, 2, 3]\na.append(4)\na[0] = 9\nprint(a, a[1:], a[::-1], len(a), a + [5])") ==
      "[9, 2, 3, 4] [2, 3, 4] [4, 3, 2, 9] 4 [9, 2, 3, 4, 5]\n");
  CHECK(printed("t = (1,)\nprint(t, t * 3, (1, 2) + (3,), 2 in t, () == ())") ==
        "(1,) (1, 1, 1) (1, 2, 3) False True\n");
  CHECK(printed("d = {'a': 1, 2: 'b'}\nd['c'] = (1, 2)\nprint(d, d['a'], d.get('z', 0), list(d), "
                "len(d), 'a' in d)\nfor k, v in d.items():\n    print(k, v)") ==
        "{'a': 1, 2: 'b', 'c': (1, 2)} 1 0 ['a', 2, 'c'] 3 True\na 1\n2 b\nc (1, 2)\n");
  CHECK(printed("print([x * y for x in range(3) for y in range(3) if x != y])") ==
        "[0, 0, 0, 2, 0, 2]\n");
  CHECK(printed("print({k: k * k for k in (1, 2)}, sum(x for x in [1, 2, 3]))") ==
        "{1: 1, 2: 4} 6\n");
  CHECK(printed("a, *b = [1, 2, 3]\n(c, d), e = (4, 5), 6\nprint(a, b, c, d, e)") ==
        "1 [2, 3] 4 5 6\n");
  CHECK(printed("x = [1, 2][5]") == "1:12: index 5 is out of range for a list of 2 elements");
  CHECK(printed("x = {}['k']") == "1:5: key not found: 'k'");
  CHECK(printed("d = {[1]: 2}") == "1:6: list cannot be a dict key");
  CHECK(printed("a = []\na.append(a)\nprint(len(a))") == "1\n");
}

TEST_CASE("functions") {
  CHECK(printed("def f(a, b=2, *args, c=3, **kw):\n    return (a, b, args, c, kw)\n"
                "print(f(1), f(1, 5, 6, 7, c=8, d=9))") ==
        "(1, 2, (), 3, {}) (1, 5, (6, 7), 8, {'d': 9})\n");
  CHECK(printed("def f(a, b):\n    pass\nf(1)") == "3:1: f() is missing 1 required argument: 'b'");
  CHECK(printed("def f(a):\n    pass\nf(1, 2)") ==
        "3:6: f() takes 1 positional argument but 2 were given");
  CHECK(printed("def f(alpha):\n    pass\nf(alpa=2)") ==
        "3:8: f() got an unexpected keyword argument 'alpa' (did you mean 'alpha'?)");
  CHECK(printed("def f(a):\n    pass\nf(1, a=2)") ==
        "3:8: f() got multiple values for argument 'a'");
  CHECK(printed("def outer(n):\n    def inner(x):\n        return x + n\n    return inner\n"
                "print(outer(10)(5))") == "15\n");
  CHECK(printed("n = 0\ndef f():\n    global n\n    n = 5\nf()\nprint(n)") == "5\n");
  CHECK(printed("def f():\n    c = 0\n    def g():\n        nonlocal c\n        c = c + 1\n"
                "        return c\n    g()\n    return g()\nprint(f())") == "2\n");
  CHECK(printed("print(sorted([3, 1, 2], key=lambda v: -v), list(map(lambda x: x + 1, (1, 2))))") ==
        "[3, 2, 1] [2, 3]\n");
  CHECK(printed("fs = [lambda i=i: i for i in range(3)]\nprint([f() for f in fs])") ==
        "[0, 1, 2]\n");
}

TEST_CASE("statements") {
  CHECK(printed("s = 0\nfor i in range(10):\n    if i == 2:\n        continue\n    if i == 5:\n"
                "        break\n    s += i\nprint(s, i)") == "8 5\n");
  CHECK(printed("n = 10\nwhile n > 1:\n    n = n // 2\nprint(n)") == "1\n");
  CHECK(printed("a = b = 3\nprint(a, b)\ndel a\nprint(a)") == "4:7: name 'a' is not defined");
  CHECK(printed("if __name__ == \"__main__\":\n    print('main')") == "main\n");
  CHECK(printed("assert 1 == 2, 'no'") == "1:1: assertion failed: no");
  CHECK(printed("return 3") == "1:1: 'return' outside a function");
  CHECK(printed("print(1 < 2 < 3, 3 > 2 > 2, 1 if [] else 2, None is None, 1 or 2, 0 and 3)") ==
        "True False 2 True 1 0\n");
}

TEST_CASE("classes") {
  CHECK(
      printed("class P:\n    scale = 2\n    def __init__(self, x):\n        self.x = x\n"
              "    def twice(self):\n        return self.x * self.scale\n"
              "class Q(P):\n    def name(self):\n        return 'q'\n"
              "q = Q(4)\nq.y = 1\nprint(q.twice(), q.name(), q.y, isinstance(q, P))\nprint(q.z)") ==
      "13:9: 'Q' object has no attribute 'z'");
}

TEST_CASE("properties and static methods") {
  CHECK(printed("class P:\n    def __init__(self, n):\n        self.n = n\n"
                "    @property\n    def twice(self):\n        return self.n * 2\n"
                "    @staticmethod\n    def make(n):\n        return P(n)\n"
                "print(P.make(4).twice, P(1).make(3).n)") == "8 3\n");
}

TEST_CASE("imports") {
  CHECK(printed("import math\nimport numpy as np\nimport torch\nfrom pytest import mark\n"
                "print(math.sqrt(9.0), math.gcd(12, 18), math.pi)") == "3.0 6 3.141592653589793\n");
  CHECK(printed("import torch\ntorch.zeros(3)") == "2:1: 'torch.zeros' is not available here");
  CHECK(printed("import tvm\nfrom tvm.script import tirx as Z\nprint(Z.float32, Z.tile is Tx)") ==
        "float32 True\n");
  CHECK(printed("math.sqrtt(2)") == "1:1: name 'math' is not defined");
  CHECK(printed("import math\nmath.sqrtt(2)") ==
        "2:6: 'math' has no 'sqrtt' (did you mean 'sqrt'?)");
}

TEST_CASE("limits: no script hangs, and none overflows the stack") {
  CHECK(printed("while True:\n    pass") == "2:5: the script did not end within 300000 steps");
  CHECK(printed("x = [0] * 10000000") == "1:5: the script did not end within 300000 steps");
  CHECK(printed("x = [0] * 100000000000") == "1:5: this list would be too long");
  CHECK(printed("def f(n):\n    return f(n + 1)\nf(0)") ==
        "2:12: 'f' calls itself too deeply (limit 200)");
  CHECK(printed("for i in range(10 ** 15):\n    pass").find("did not end") != std::string::npos);
  CHECK(printed("x = list(range(10 ** 12))") ==
        "1:10: this range has too many elements (1000000000000)");
  CHECK(printed("f\"{1:999999}\"") == "1:3: a format width of more than 10000");
  CHECK(printed("a = []\na.append(a)\nprint(a == a, str(a)[:6])") == "True [[[[[[\n");
  // A million levels: neither building nor letting go recurses.
  CHECK(printed("t = ()\nfor i in range(40000):\n    t = (t,)\nprint(len(t))\n"
                "class N:\n    def __init__(self, next):\n        self.next = next\n"
                "n = None\nfor i in range(2000):\n    n = N(n)\nprint(n.next is None)") ==
        "1\nFalse\n");
  // Shared substructure: small to build, endless to walk.
  CHECK(printed("a = [1]\nb = [1]\nfor i in range(60):\n    a = [a, a]\n    b = [b, b]\n"
                "print(a == b)")
            .find("too large") != std::string::npos);
  CHECK(printed("a = [1]\nfor i in range(60):\n    a = [a, a, a, a]\ns = str(a)\n"
                "print(len(s) < 10000000)") == "True\n");
  CHECK(printed("a = (1,)\nfor i in range(60):\n    a = (a, a)\nd = {a: 1}") ==
        "4:6: tuple cannot be a dict key");
  CHECK(printed("a = []\nb = []\na.append(b)\nb.append(a)\nprint(a == b)").find("too large") !=
        std::string::npos);
}

TEST_CASE("expressions of a kernel cannot grow without bound") {
  const std::string head =
      "from tvm.script import tirx as T\n"
      "def big(x):\n    for i in range(40):\n        x = x + x\n    return x\n"
      "def deep(x):\n    for i in range(5000):\n        x = x + i\n    return x\n"
      "@T.prim_func\ndef k(A: T.Buffer((8,), \"int32\")):\n    T.device_entry()\n"
      "    T.cta_id([1])\n    t = T.thread_id([32])\n";
  CHECK(run(head + "    A[t] = big(t)\n").errors() == "4:13: this expression has become too large");
  CHECK(run(head + "    A[t] = deep(t)\n").errors() ==
        "8:13: this expression has become too large");
}

}  // namespace
}  // namespace tirx::dsl::test
