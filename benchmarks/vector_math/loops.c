/* SPDX-License-Identifier: Apache-2.0
   Copyright The partita authors

   Each function of vector_math_*.c in a loop over arrays, as a generated kernel holds it, and tables
   of the loops in the order of functions.def.  Compiled once per instruction set; PARTITA_LEVEL is
   its name.  The compiler's command line includes both files before this one.  Functions of one
   operand ignore y. */
#define PARTITA_CALL_1(name, x, y) name(x)
#define PARTITA_CALL_2(name, x, y) name(x, y)
#define PARTITA_LOOP(T, name, arity)                                                    \
  static void name(long n, const T* restrict x, const T* restrict y, T* restrict out) { \
    (void)y;                                                                            \
    for (long i = 0; i < n; ++i) out[i] = PARTITA_CALL_##arity(pm_##name, x[i], y[i]);  \
  }
#define PARTITA_FUNCTION(name, arity, f32, f64, lo, hi) \
  PARTITA_LOOP(float, name##_f32, arity)                \
  PARTITA_LOOP(double, name##_f64, arity)
#include "benchmarks/vector_math/functions.def"

#define PARTITA_JOIN_(name, level) name##level
#define PARTITA_JOIN(name, level) PARTITA_JOIN_(name, level)
typedef void (*partita_loop_f32)(long, const float*, const float*, float*);
typedef void (*partita_loop_f64)(long, const double*, const double*, double*);
extern const partita_loop_f32 PARTITA_JOIN(partita_loops_f32_, PARTITA_LEVEL)[];
extern const partita_loop_f64 PARTITA_JOIN(partita_loops_f64_, PARTITA_LEVEL)[];

const partita_loop_f32 PARTITA_JOIN(partita_loops_f32_, PARTITA_LEVEL)[] = {
#define PARTITA_FUNCTION(name, arity, f32, f64, lo, hi) name##_f32,
#include "benchmarks/vector_math/functions.def"
};
const partita_loop_f64 PARTITA_JOIN(partita_loops_f64_, PARTITA_LEVEL)[] = {
#define PARTITA_FUNCTION(name, arity, f32, f64, lo, hi) name##_f64,
#include "benchmarks/vector_math/functions.def"
};
