/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * A C11 host that compiles: text in, an artifact out and into the runtime's calls, a wrong option is a status. */
#include <partita_compiler.h>
#include <stdio.h>
#include <string.h>

static const char program[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

static int fails(partita_status status, const char* text) {
  printf("%s\n", partita_last_error());
  return status == PARTITA_ERROR_USER && strstr(partita_last_error(), text) != NULL;
}

int main(void) {
  const char* options[] = {"target=cpu", "tier=0"};
  const char* wrong[] = {"traget=cpu"};
  partita_artifact* artifact = NULL;
  partita_session* session = NULL;
  float x[4] = {1, 2, 3, 4};
  if (!fails(partita_compile(program, strlen(program), "host.mlir", wrong, 1, &artifact),
             "expected target, found 'traget'"))
    return 1;
  if (!fails(partita_compile(program, 40, "host.mlir", options, 2, &artifact), "host.mlir:1:"))
    return 1;
  if (artifact != NULL) return 1;
  if (partita_compile(program, strlen(program), "host.mlir", options, 2, &artifact) != PARTITA_OK ||
      partita_session_create(artifact, NULL, &session) != PARTITA_OK ||
      partita_session_set_input(session, 0, x, sizeof x) != PARTITA_OK ||
      partita_session_run(session) != PARTITA_OK ||
      partita_session_read_output(session, 0, x, sizeof x) != PARTITA_OK) {
    printf("%s\n", partita_last_error());
    return 1;
  }
  printf("%g %g %g %g\n", (double)x[0], (double)x[1], (double)x[2], (double)x[3]);
  partita_session_free(session);
  partita_artifact_free(artifact);
  return x[0] == 2 && x[3] == 8 ? 0 : 1;
}
