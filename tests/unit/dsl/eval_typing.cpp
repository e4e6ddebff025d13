// Types of expressions (docs/language.md, "Types of expressions").
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

/// dtype of an expression over variables named after their dtypes.
std::string type_of(const std::string& expression) {
  std::string script = "from tvm.script import tirx as T\n@T.prim_func\ndef k(";
  for (const char* name : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16",
                           "f32", "f64", "bool"}) {
    script += std::string("x_") + name + ": T." + name + ", ";
  }
  script +=
      "O: T.Buffer((1,), \"float32\")):\n    T.device_entry()\n    T.cta_id([1])\n"
      "    T.thread_id([32])\n    e = T.meta_var(" +
      expression + ")\n    print(e.dtype)\n";
  const Ran ran = run(script);
  const std::string errors = ran.errors();
  if (errors.empty()) return ran.output.substr(0, ran.output.size() - 1);
  return errors.substr(errors.find(' ') + 1);
}

TEST_CASE("literals in arithmetic") {
  CHECK(type_of("x_i32 + 1") == "int32");
  CHECK(type_of("x_i32 + 3000000000") == "int64");
  CHECK(type_of("x_u8 + 1") == "int32");
  CHECK(type_of("x_u32 + 1") == "uint32");
  CHECK(type_of("x_i64 + 1") == "int64");
  CHECK(type_of("x_f16 + 1") == "float16");
  CHECK(type_of("x_f16 + 1.0") == "float32");
  CHECK(type_of("x_i32 * 2.5") == "float32");
}

TEST_CASE("promotion of two operands") {
  CHECK(type_of("x_i8 + x_i8") == "int8");
  CHECK(type_of("x_i8 + x_i16") == "int16");
  CHECK(type_of("x_u8 + x_u32") == "uint32");
  CHECK(type_of("x_i32 + x_u32") == "uint32");
  CHECK(type_of("x_i64 + x_u32") == "int64");
  CHECK(type_of("x_i8 + x_u16") == "uint16");
  CHECK(type_of("x_i64 + x_u64") == "uint64");
  CHECK(type_of("x_bool + x_i8") == "int8");
  CHECK(type_of("x_bool + x_bool") == "int32");
  CHECK(type_of("x_f16 + x_f32") == "float32");
  CHECK(type_of("x_f32 + x_f64") == "float64");
  CHECK(type_of("x_i64 + x_f16") == "float16");
  CHECK(type_of("x_bf16 + x_i32") == "bfloat16");
  CHECK(type_of("x_bf16 + x_f32") == "float32");
  CHECK(type_of("x_bf16 + x_f16") == "bfloat16 and float16 have no common type");
}

TEST_CASE("division") {
  CHECK(type_of("x_i32 / x_i32") == "'/' on two integers is ambiguous");
  CHECK(type_of("x_i32 / 2") == "'/' on two integers is ambiguous");
  CHECK(type_of("x_f32 / x_i32") == "float32");
  CHECK(type_of("x_i32 // 2") == "int32");
  CHECK(type_of("x_f32 // 2.0") == "'//' is for integers in a kernel");
  CHECK(type_of("x_f32 % 2.0") == "'%' is for integers in a kernel");
  CHECK(type_of("x_i32 // 0") == "division by zero");
  CHECK(type_of("x_i32 ** 2") == "'**' is not defined on values of a kernel");
  CHECK(type_of("x_i32 @ x_i32") == "'@' is not defined on values of a kernel");
}

TEST_CASE("comparisons") {
  CHECK(type_of("x_i32 < x_i32") == "bool");
  CHECK(type_of("x_i32 < x_i64") == "comparison of int32 with int64");
  CHECK(type_of("x_f16 < x_f32") == "comparison of float16 with float32");
  // A literal adopts the other operand's dtype, if it can.
  CHECK(type_of("x_f16 < 1.5") == "bool");
  CHECK(type_of("x_u8 == 3") == "bool");
  CHECK(type_of("x_u8 < 300") == "this literal is not a value of uint8, with which it is compared");
  CHECK(type_of("x_u32 > -1") ==
        "this literal is not a value of uint32, with which it is compared");
  CHECK(type_of("x_i32 < 2.5") ==
        "this literal is not a value of int32, with which it is compared");
  CHECK(type_of("0 <= x_i32 < 10") == "bool");
}

TEST_CASE("bits, shifts, signs") {
  CHECK(type_of("x_i32 << 2") == "int32");
  CHECK(type_of("x_u8 & x_u8") == "uint8");
  CHECK(type_of("x_bool & x_bool") == "bool");
  CHECK(type_of("x_bool & x_i32") == "int32");
  CHECK(type_of("~x_u16") == "uint16");
  CHECK(type_of("~x_bool") == "bool");
  CHECK(type_of("-x_f16") == "float16");
  CHECK(type_of("x_f32 << 1") == "'shl' is not defined on float32");
}

TEST_CASE("logic and choice") {
  CHECK(type_of("x_i32 < 1 and x_f32 > 0.0") == "bool");
  CHECK(type_of("not (x_i32 < 1)") == "bool");
  CHECK(type_of("not x_i32") == "bool");
  CHECK(type_of("x_f32 and x_bool") == "a condition must be a bool, not float32");
  CHECK(type_of("x_f32 if x_bool else x_f16") == "float32");
  CHECK(type_of("T.Select(x_bool, x_f16, 0.0)") == "float16");
  CHECK(type_of("T.if_then_else(x_bool, 1, x_i64)") == "int64");
}

TEST_CASE("functions") {
  CHECK(type_of("T.exp(x_f16)") == "float16");
  CHECK(type_of("T.exp(x_i32)") == "'exp' is not defined on int32");
  CHECK(type_of("T.max(x_f16, 0.0)") == "float16");
  CHECK(type_of("T.min(x_i32, x_i64)") == "int64");
  CHECK(type_of("T.popcount(x_u64)") == "int32");
  CHECK(type_of("T.isnan(x_f32)") == "bool");
  CHECK(type_of("T.fma(x_f32, x_f32, 1.0)") == "float32");
  CHECK(type_of("T.fma(x_f32, x_f32)") == "T.fma() takes 3 arguments, not 2");
  CHECK(type_of("T.cast(x_f32, \"bfloat16\")") == "bfloat16");
  CHECK(type_of("x_f32.astype(T.float16)") == "float16");
  CHECK(type_of("T.float64(x_i32)") == "float64");
  CHECK(type_of("T.reinterpret(x_f32, \"uint32\")") == "uint32");
  CHECK(type_of("T.reinterpret(x_f32, \"uint16\")") ==
        "reinterpret keeps the bits: float32 has 32 of them, uint16 has 16");
  CHECK(type_of("T.expp(x_f32)") == "'T' has no 'expp' (did you mean 'exp'?)");
}

TEST_CASE("storage types have no arithmetic") {
  // Beside a type that has arithmetic neither: the cast is written.
  CHECK(rejected("A[t] = E[t] + 1.0") ==
        "1:8: float8_e4m3fn is a storage type: 'add' is not defined on it");
  CHECK(rejected("A[t] = A[t] * E[t]") ==
        "1:8: float8_e4m3fn is a storage type: 'mul' is not defined on it");
  CHECK(rejected("A[t] = T.cast(E[t], \"float32\") * 2.0").empty());
  CHECK(rejected("E[t] = E[t] + E[t]") ==
        "1:8: float8_e4m3fn is a storage type: 'add' is not defined on it");
  CHECK(rejected("E[t] = -E[t]") ==
        "1:8: float8_e4m3fn is a storage type: 'neg' is not defined on it");
}

TEST_CASE("a constant that becomes an integer of the kernel keeps its value") {
  struct Case {
    const char* statement;
    const char* error;
  };

  const Case table[] = {
      {"for i in range(0, 10, 2**32 + 5): I[0] = i", "4294967301 is out of range for int32"},
      {"for i in range(10, 0, -2**32 - 1): I[0] = i", "-4294967297 is out of range for int32"},
      {"for i in range(T.uint32(5), T.uint32(0), -1): I[0] = 1", "-1 is out of range for uint32"},
      {"x = A[0 : 2**32 + 64]", "4294967360 is out of range for int32"},
      {"x = A[n : n + 2**32 + 1]", "4294967297 is out of range for int32"},
      {"x = A[0 : 16 : 2**32 + 4]", "4294967300 is out of range for int32"},
      {"A[t] = T.tvm_warp_shuffle_xor(-1, A[t], 1, 32 + 2**32, 32)",
       "4294967328 is out of range for int32"},
      {"A[t] = T.tvm_warp_shuffle(-1, A[t], 2**33, 32, 32)",
       "8589934592 is out of range for int32"},
      {"T.ptx.bar.sync(2**32 + 1, 32)", "4294967297 is out of range for int32"},
      {"T.ptx.bar.sync(1, 2**32 + 32)", "4294967328 is out of range for int32"},
      {"T.cuda.warp_sync(T.int64(2**33 - 1))", "8589934591 is out of range for uint32"},
      {"T.cuda.nano_sleep(2**32)", "4294967296 is out of range for uint32"},
  };
  for (const Case& c : table) {
    CAPTURE(c.statement);
    const std::string error = rejected(c.statement);
    CHECK_MESSAGE(error.find(c.error) != std::string::npos, error);
  }
  CHECK(rejected("for i in range(0, 2**32 + 5, 2**31 - 1): I[0] = 1").empty());
  CHECK(rejected("for i in range(-2**31, 2**31 - 1): I[0] = i").empty());
  CHECK(rejected("I[0] = T.cast(T.int64(2**32 + 5), 'int32')")
            .empty());  // T.cast says that it is meant
  CHECK(rejected("T.cuda.warp_sync(-1)").empty());
}

TEST_CASE("constants fold when the kernel is built") {
  CHECK(built("x = T.int32(7) // -2") == "x: T.int32 = -4\n");
  CHECK(built("x = T.int32(7) % -2") == "x: T.int32 = -1\n");
  CHECK(built("x = T.int8(127) + T.int8(1)") == "x: T.int8 = T.int8(-128)\n");
  CHECK(built("x = T.float32(0.1) + T.float32(0.2)") ==
        "x: T.float32 = T.float32(0.3)\n");  // 0.1f + 0.2f rounds to 0.3f
  CHECK(built("x = T.float16(65504.0) * T.float16(2.0)") == "x: T.float16 = T.float16(\"inf\")\n");
  CHECK(built("I[t] = t * 1 + 0") == "I[t] = t\n");
}

TEST_CASE("meta operands stay meta") {
  CHECK(built("if 3 in (1, 2, 3) and not False:\n    I[t] = 2 ** 5") == "I[t] = 32\n");
  CHECK(built("I[t] = T.ceildiv(70, 32) + T.max(3, 5)") == "I[t] = 8\n");
  CHECK(built("I[t] = T.ceildiv(n, 32)") == "I[t] = (n + 31) // 32\n");
}

}  // namespace
}  // namespace tirx::dsl::test
