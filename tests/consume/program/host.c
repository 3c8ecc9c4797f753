/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * A C11 host: the C ABI's header is C, its library links and loads, a failure is a status. */
#include <partita.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  partita_artifact* artifact = NULL;
  const partita_status status = partita_artifact_load("no_such_file.pta", &artifact);
  printf("partita %s: %s\n", partita_version(), partita_last_error());
  return status == PARTITA_ERROR_USER && artifact == NULL &&
                 strstr(partita_last_error(), "no_such_file.pta") != NULL
             ? 0
             : 1;
}
