/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * Runs one generated function, which ports.h describes, with memory that holds nothing yet: results and
 * the arena are filled with a byte, or left as malloc gives them so that a sanitizer or valgrind sees
 * what is read before it is written.
 *
 *   driver FOLDER (BYTE | left) [PARTS]
 *
 * Arguments are FOLDER/in0, in1, ...; results go to FOLDER/out0, ...  With PARTS, launches are shared by
 * so many parts, which run here, last first.  Exit status: 3, the function gave an error; 4, an argument
 * was written; 5, part of a result was not written; 9, files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ports.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define CHECK_WRITTEN(p, bytes) (__msan_check_mem_is_initialized(p, bytes), 0)
#endif
#endif
#if !defined(CHECK_WRITTEN) && defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define CHECK_WRITTEN(p, bytes) (VALGRIND_CHECK_MEM_IS_DEFINED(p, bytes) != 0)
#endif
#endif
#ifndef CHECK_WRITTEN
#define CHECK_WRITTEN(p, bytes) 0
#endif

static const char* folder;

static FILE* open_port(const char* kind, int k, const char* mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%d", folder, kind, k);
  FILE* file = fopen(path, mode);
  if (!file) {
    perror(path);
    exit(9);
  }
  return file;
}

static char* argument(int k, size_t bytes) {
  FILE* file = open_port("in", k, "rb");
  char* memory = malloc(bytes);
  if (fread(memory, 1, bytes, file) != bytes || fgetc(file) != EOF) {
    fprintf(stderr, "in%d: expected %zu bytes\n", k, bytes);
    exit(9);
  }
  fclose(file);
  return memory;
}

static void fill(void* memory, size_t bytes, const char* with) {
  if (strcmp(with, "left") != 0) memset(memory, atoi(with), bytes);
}

static void last_first(void* context, int parts, void (*run)(void* data, int part), void* data) {
  (void)context;
  for (int part = parts; part-- > 0;) run(data, part);
}

static int status_of(char* in[], const char* with, int parts) {
  (void)in;
  char* out[OUTPUTS + 1];
  void* arena = 0;
  int status = 0;
  for (int k = 0; k < OUTPUTS; ++k) fill(out[k] = malloc(output_bytes[k]), output_bytes[k], with);
  if (posix_memalign(&arena, ARENA_ALIGNMENT, ARENA_BYTES)) return 9;
  fill(arena, ARENA_BYTES, with);
  const partita_parallel parallel = {parts, 0, last_first};
  const int result = CALL(in, out, arena, parts > 0 ? &parallel : 0);
  if (result != 0) {
    fprintf(stderr, "the function gives %d: %s\n", result, STATUS_TEXT(result));
    status = 3;
  }
  free(arena);
  for (int k = 0; k < OUTPUTS; ++k) {
    if (status == 0 && CHECK_WRITTEN(out[k], output_bytes[k])) {
      fprintf(stderr, "out%d: expected a result written whole\n", k);
      status = 5;
    }
    FILE* file = open_port("out", k, "wb");
    if (fwrite(out[k], 1, output_bytes[k], file) != output_bytes[k]) status = 9;
    fclose(file);
    free(out[k]);
  }
  return status;
}

int main(int argc, char** argv) {
  if (argc < 3) return 9;
  folder = argv[1];
  char *in[INPUTS + 1], *before[INPUTS + 1];
  for (int k = 0; k < INPUTS; ++k) {
    in[k] = argument(k, input_bytes[k]);
    before[k] = argument(k, input_bytes[k]);
  }
  int status = status_of(in, argv[2], argc > 3 ? atoi(argv[3]) : 0);
  for (int k = 0; k < INPUTS; ++k) {
    if (memcmp(in[k], before[k], input_bytes[k]) != 0) {
      fprintf(stderr, "in%d: expected an argument that is only read\n", k);
      status = 4;
    }
    free(in[k]);
    free(before[k]);
  }
  return status;
}
