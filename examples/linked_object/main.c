/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * Runs federated rounds that were compiled into this program.
 *
 *   average [ROUNDS [threads]]      default: one round, on this thread
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "average.h"

/* --- Threads: one beside the caller's, started for each job that is worth it --- */

struct job {
  void (*run)(void* data, int part);
  void* data;
};

static void* run_second_part(void* argument) {
  const struct job* job = argument;
  job->run(job->data, 1);
  return NULL;
}

static void run_on_two(void* context, int parts, void (*run)(void* data, int part), void* data) {
  struct job job = {run, data};
  pthread_t thread;
  (void)context;
  const int has_thread = parts > 1 && pthread_create(&thread, NULL, run_second_part, &job) == 0;
  run(data, 0);
  if (has_thread)
    pthread_join(thread, NULL);
  else if (parts > 1)
    run(data, 1);
}

/* --- Rounds --- */

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  const partita_parallel threads = {.parts = 2, .context = NULL, .run = run_on_two};
  float model[AVERAGE_MAIN_MODEL_COUNT], next[AVERAGE_MAIN_OUT0_COUNT],
      data[AVERAGE_MAIN_DATA_COUNT];
  for (int i = 0; i < AVERAGE_MAIN_MODEL_COUNT; ++i) model[i] = (float)i;
  for (int i = 0; i < AVERAGE_MAIN_DATA_COUNT; ++i) data[i] = (float)i;

  /* With an arena of the host's, rounds allocate nothing. */
  void* arena = average_main_new_arena();
  for (int round = 0; round < rounds; ++round) {
    const int status = average_main(model, data, next, arena, argc > 2 ? &threads : NULL);
    if (status != AVERAGE_OK) {
      fprintf(stderr, "error: %s\n", average_status_text(status));
      return 1;
    }
    for (int i = 0; i < AVERAGE_MAIN_MODEL_COUNT; ++i) model[i] = next[i];
  }
  free(arena);

  printf("model:");
  for (int i = 0; i < AVERAGE_MAIN_MODEL_COUNT; ++i) printf(" %g", model[i]);
  printf("\n");
  return 0;
}
