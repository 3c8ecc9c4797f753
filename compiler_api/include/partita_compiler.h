/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * partita's compiler in C (C11): a program and options go in, an artifact comes out, as `partita compile`
 * makes it.  Link partita::compiler (libpartita_compiler and libpartita); partita.h runs the artifact, and
 * says what statuses, partita_last_error() and ownership mean.  A host that only runs artifacts needs
 * partita.h alone. */
#ifndef PARTITA_COMPILER_H
#define PARTITA_COMPILER_H

#include "partita.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C's customs for names. NOLINTBEGIN(readability-identifier-naming,modernize-*) */

/* Compiles `size` bytes: a program as text, or a portable artifact (MLIR bytecode of VHLO), told by its
 * first bytes.  The text need not end with a zero; nothing of it is needed afterwards.
 *
 * `name` stands for the file in error texts (may be NULL).  `options` are `count` texts KEY=VALUE, with the
 * names of `partita compile` without dashes: "target=NAME", "function=main", "placement=clients=512"
 * (several), "layout=auto", "gemm=auto", "memory-budget=8GiB", "device=generic" (a name), "tuning=FILE",
 * "runs=1", and options of the target's own.  What is not named has its default.  `options` may be NULL
 * where `count` is 0.
 *
 * *artifact is written on success alone; free it with partita_artifact_free.  PARTITA_ERROR_USER: the
 * program or an option is wrong; the text holds NAME:LINE:COLUMN where a place of the program is meant.
 * May be called by any number of threads at once. */
PARTITA_API partita_status partita_compile(const void* program, size_t size, const char* name,
                                           const char* const* options, size_t count,
                                           partita_artifact** artifact);

/* NOLINTEND(readability-identifier-naming,modernize-*) */

#ifdef __cplusplus
}
#endif

#endif /* PARTITA_COMPILER_H */
