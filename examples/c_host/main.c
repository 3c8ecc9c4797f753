/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * Runs an artifact from C with buffers that this program owns.
 *
 *   c_host PROGRAM.pta [ROUNDS]             on this machine's device
 *   mpirun -n 2 c_host PROGRAM.pta ROUNDS --mpi     as ranks of an MPI job
 *
 * Every input is filled with 0, 1, 2, ...; the program runs ROUNDS times (default 1), and after each
 * round but the last, outputs replace the inputs of the same position and type.  Rank 0 prints the
 * first elements of every output.  f32, f64, i32 and i64 programs; exit status as partita's. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <partita.h>

enum { max_carries = 16, shown_elements = 8 };

/* Ends the program with partita's own text where a call failed. */
static void check(partita_status status) {
  if (status == PARTITA_OK) return;
  fprintf(stderr, "error: %s\n", partita_last_error());
  exit((int)status);
}

static void* allocate(size_t bytes) {
  void* memory = calloc(bytes > 0 ? bytes : 1, 1);
  if (memory == NULL) {
    fprintf(stderr, "error: out of memory for %zu bytes\n", bytes);
    exit(PARTITA_ERROR_DEVICE);
  }
  return memory;
}

static partita_port port_of(const partita_artifact* artifact, size_t index, int is_output) {
  partita_port port = {.struct_size = sizeof port};
  check(is_output ? partita_artifact_output(artifact, index, &port)
                  : partita_artifact_input(artifact, index, &port));
  return port;
}

static void fill(void* data, const partita_port* port) {
  const size_t count = port->bytes / partita_dtype_size(port->dtype);
  for (size_t i = 0; i < count; ++i) {
    switch (port->dtype) {
      case PARTITA_F32:
        ((float*)data)[i] = (float)i;
        break;
      case PARTITA_F64:
        ((double*)data)[i] = (double)i;
        break;
      case PARTITA_I32:
        ((int32_t*)data)[i] = (int32_t)i;
        break;
      case PARTITA_I64:
        ((int64_t*)data)[i] = (int64_t)i;
        break;
      default:
        fprintf(stderr, "error: input '%s': expected f32, f64, i32 or i64\n", port->name);
        exit(PARTITA_ERROR_USER);
    }
  }
}

static void print(const void* data, const partita_port* port, size_t index) {
  const size_t count = port->bytes / partita_dtype_size(port->dtype);
  printf("out%zu:", index);
  for (size_t i = 0; i < count && i < shown_elements; ++i) {
    switch (port->dtype) {
      case PARTITA_F32:
        printf(" %g", (double)((const float*)data)[i]);
        break;
      case PARTITA_F64:
        printf(" %g", ((const double*)data)[i]);
        break;
      case PARTITA_I32:
        printf(" %" PRId32, ((const int32_t*)data)[i]);
        break;
      case PARTITA_I64:
        printf(" %" PRId64, ((const int64_t*)data)[i]);
        break;
      default:
        printf(" ?");
        break;
    }
  }
  printf("%s\n", count > shown_elements ? " ..." : "");
}

static int same_type(const partita_port* a, const partita_port* b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Pairs of positions at which an output can become the next round's input. */
static size_t find_carries(const partita_artifact* artifact, partita_carry* carries) {
  const size_t inputs = partita_artifact_input_count(artifact);
  const size_t outputs = partita_artifact_output_count(artifact);
  size_t found = 0;
  for (size_t i = 0; i < inputs && i < outputs && found < max_carries; ++i) {
    const partita_port input = port_of(artifact, i, 0);
    const partita_port output = port_of(artifact, i, 1);
    if (same_type(&input, &output)) carries[found++] = (partita_carry){.output = i, .input = i};
  }
  return found;
}

int main(int argc, char** argv) {
  const int use_mpi = argc > 1 && strcmp(argv[argc - 1], "--mpi") == 0;
  const int arguments = argc - use_mpi;
  const long rounds = arguments > 2 ? strtol(argv[2], NULL, 10) : 1;
  if (arguments < 2 || arguments > 3 || rounds < 1) {
    fprintf(stderr, "usage: c_host PROGRAM.pta [ROUNDS] [--mpi]\n");
    return PARTITA_ERROR_USER;
  }

  partita_artifact* artifact = NULL;
  check(partita_artifact_load(argv[1], &artifact));
  const partita_session_options options = {.struct_size = sizeof options, .use_mpi = use_mpi};
  partita_session* session = NULL;
  check(partita_session_create(artifact, &options, &session));

  for (size_t i = 0; i < partita_artifact_input_count(artifact); ++i) {
    const partita_port port = port_of(artifact, i, 0);
    void* data = allocate(port.bytes);
    fill(data, &port);
    check(partita_session_set_input(session, i, data, port.bytes));
    free(data); /* the session has its copy */
  }

  partita_carry carries[max_carries];
  const size_t carried = find_carries(artifact, carries);
  for (long round = 0; round < rounds; ++round) {
    if (round > 0) check(partita_session_carry(session, carries, carried));
    check(partita_session_submit(session));
    /* The host is free to do other work here. */
    check(partita_session_wait(session));
  }

  for (size_t i = 0; i < partita_artifact_output_count(artifact); ++i) {
    const partita_port port = port_of(artifact, i, 1);
    void* data = allocate(port.bytes);
    check(partita_session_read_output(session, i, data, port.bytes));
    if (partita_session_rank(session) == 0) print(data, &port, i);
    free(data);
  }
  partita_session_free(session);
  partita_artifact_free(artifact);
  return PARTITA_OK;
}
