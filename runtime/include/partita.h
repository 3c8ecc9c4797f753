/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * partita's C interface (C11): load an artifact that `partita compile` wrote, give it arrays, run
 * it on this process's devices, alone or as one rank of an MPI job, and read the results.
 * partita.hpp is the same in C++.
 *
 * Status.     Functions that can fail return a partita_status; no C++ exception leaves the library.
 *             partita_last_error() is the text of the calling thread's last failure.
 * Ownership.  partita_artifact and partita_session belong to the caller, who frees them with the
 *             function named below.  Arrays passed in are copied before the call returns, unless
 *             lent; results are copied into the caller's memory.  Texts and dims that functions hand out belong
 *             to the object they came from.
 * Threads.    An artifact may be used by any number of threads at once.  A session is used by one
 *             thread at a time; different sessions may be used by different threads.
 * MPI.        Calls marked "collective" are made by all ranks of a session in the same order.
 * Trust.      An artifact holds code that runs with the rights of this process: load only what you
 *             trust.
 *
 * Structs begin with struct_size, which the caller sets to sizeof the struct; fields that are zero
 * have their defaults, so that programs built against an older header keep working. */
#ifndef PARTITA_H
#define PARTITA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PARTITA_API __attribute__((visibility("default")))
#else
#define PARTITA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C's customs for names. NOLINTBEGIN(readability-identifier-naming,modernize-*) */

/* The values are those of the command line's exit status. */
typedef enum partita_status {
  PARTITA_OK = 0,
  PARTITA_ERROR_USER = 2,     /* the call or the artifact is wrong */
  PARTITA_ERROR_DEVICE = 3,   /* a device, memory or MPI failed, or another rank did */
  PARTITA_ERROR_INTERNAL = 70 /* a fault of partita */
} partita_status;

/* Elements are dense, row-major, little-endian.  bool is one byte of 0 or 1; integers of fewer than
 * 8 bits are one byte, sign- or zero-extended; floats of at most 16 bits are their bits, in the low bits of
 * bytes; complex is real part, then imaginary part.  The table has the names and their values, which never
 * change: PARTITA_BOOL, PARTITA_I2, ..., PARTITA_UI2, ..., PARTITA_F4E2M1FN, PARTITA_F8E3M4, ...,
 * PARTITA_F16, PARTITA_BF16, PARTITA_F32, PARTITA_F64, PARTITA_COMPLEX64, PARTITA_COMPLEX128. */
typedef enum partita_dtype {
#define PARTITA_DTYPE(name, text, Storage, Value, format, numpy, c_name, c_number) \
  PARTITA_##c_name = c_number,
#include "partita/base/dtype.def"
} partita_dtype;

/* "0.1.0" */
PARTITA_API const char* partita_version(void);
/* Bytes of one element; 0 for a value that is no dtype. */
PARTITA_API size_t partita_dtype_size(partita_dtype dtype);
/* StableHLO's name, such as "f32"; "" for a value that is no dtype. */
PARTITA_API const char* partita_dtype_name(partita_dtype dtype);

/* Text of the calling thread's last failure ("" before the first); valid until the thread's next
 * call that fails. */
PARTITA_API const char* partita_last_error(void);

/* ---- Log ---- */

typedef enum partita_log_level {
  PARTITA_LOG_DEBUG = 0,
  PARTITA_LOG_INFO = 1,
  PARTITA_LOG_WARNING = 2
} partita_log_level;

/* Called with one line of text, from any thread, one call at a time; must not call partita.  Which
 * levels come is said by the environment variable PARTITA_LOG (debug, info, warning, off), by
 * default warnings. */
typedef void (*partita_log_callback)(partita_log_level level, const char* text, void* user);

/* Replaces standard error as the receiver of log lines, for the whole process; NULL restores it. */
PARTITA_API partita_status partita_set_log_callback(partita_log_callback callback, void* user);

/* ---- Functions of the host that programs call ---- */

/* An array of one call, in memory of the host that lasts as long as the call. */
typedef struct partita_array {
  size_t struct_size;
  partita_dtype dtype;
  size_t rank;
  const int64_t* dims;
  void* data; /* of operands to be read only; never NULL */
  size_t bytes;
} partita_array;

/* Reads operands, writes every element of the results and returns PARTITA_OK; another status fails the execution, with
 * the text it leaves in `error`, `error_size` bytes at most with the 0 at the end.  Called by threads of partita or by the one
 * that executes the program, by several at once where there are several devices; it may call partita, but must not wait for
 * work on the device that runs the program. */
typedef partita_status (*partita_host_function)(const partita_array* operands, size_t operand_count,
                                                const partita_array* results, size_t result_count,
                                                char* error, size_t error_size, void* user);

/* What programs of this process mean by
 *   stablehlo.custom_call @partita.host_call(…) {has_side_effect = true, backend_config = {function = "NAME"}, api_version = 4 : i32}
 * from now on; NULL: nothing, so that running one is an error.  Such calls are never left out, repeated or merged, and
 * come in the program's order.  A program calls the function that was there when it was loaded, or, where there was none,
 * the one that is there when it runs.  `release`, unless it is NULL, is called with `user` once nothing calls the function
 * any more, by any thread. */
PARTITA_API partita_status partita_host_function_set(const char* name,
                                                     partita_host_function function, void* user,
                                                     void (*release)(void* user));

/* ---- Artifacts ---- */

typedef struct partita_artifact partita_artifact;

/* Loads a file.  *artifact is written on success alone. */
PARTITA_API partita_status partita_artifact_load(const char* path, partita_artifact** artifact);
/* Loads from `size` bytes in memory, which may be freed afterwards; `name` stands for the file in
 * error texts (may be NULL). */
PARTITA_API partita_status partita_artifact_parse(const void* bytes, size_t size, const char* name,
                                                  partita_artifact** artifact);
/* Writes a file, whole or not at all. */
PARTITA_API partita_status partita_artifact_save(const partita_artifact* artifact,
                                                 const char* path);
/* *size becomes the number of bytes of the file; they are copied to `bytes` unless that is NULL.  A
 * `capacity` of fewer bytes is PARTITA_ERROR_USER, with *size written. */
PARTITA_API partita_status partita_artifact_serialize(const partita_artifact* artifact, void* bytes,
                                                      size_t capacity, size_t* size);
/* Sessions made from it live on.  NULL is allowed. */
PARTITA_API void partita_artifact_free(partita_artifact* artifact);

/* An artifact holds one or more functions, which share constants.  The first is the one that is meant where none is
 * named: ports, sessions and partita_function_load() are about that one. */
PARTITA_API size_t partita_artifact_function_count(const partita_artifact* artifact);
/* Its name in the source; "" where `index` is not below the count. */
PARTITA_API const char* partita_artifact_function_name(const partita_artifact* artifact,
                                                       size_t index);
/* An artifact of one function alone, with the constants that it uses, which are not copied. */
PARTITA_API partita_status partita_artifact_function(const partita_artifact* artifact,
                                                     const char* name, partita_artifact** function);
/* An artifact of the functions of several, in order; constants that are equal are held once, on devices too.  All are for one
 * target.  `names`: of artifacts of one function each, the new names, all different; NULL keeps those they have. */
PARTITA_API partita_status partita_artifact_join(const partita_artifact* const* artifacts,
                                                 const char* const* names, size_t count,
                                                 partita_artifact** joined);

/* The target it was compiled for: the NAME of `partita compile --target NAME`. */
PARTITA_API const char* partita_artifact_target(const partita_artifact* artifact);
PARTITA_API size_t partita_artifact_input_count(const partita_artifact* artifact);
PARTITA_API size_t partita_artifact_output_count(const partita_artifact* artifact);

/* One axis along which a dimension of an argument or result is cut into pieces. */
typedef struct partita_port_axis {
  const char* name;
  size_t dim;           /* of the array */
  int64_t size;         /* pieces along this axis */
  int32_t is_placement; /* a placement's partitions, in blocks; 0: an axis of the mesh */
} partita_port_axis;

/* One argument or result of the program.  Types are global: over all shards together. */
typedef struct partita_port {
  size_t struct_size;
  const char* name; /* in the source; "" where it has none; never NULL */
  partita_dtype dtype;
  size_t rank;           /* number of dimensions */
  const int64_t* dims;   /* `rank` extents; NULL where rank is 0 */
  size_t bytes;          /* of the whole array */
  const char* placement; /* axis over which dimension 0 is split and nothing else, else NULL */
  size_t axis_count;
  const partita_port_axis* axes; /* in order of dimensions, of one dimension the major first */
  const int64_t*
      local_dims; /* `rank` extents on a shard of the mesh, before placements split; NULL where rank is 0 */
} partita_port;

/* Fills *port; texts, extents and axes belong to the artifact. */
PARTITA_API partita_status partita_artifact_input(const partita_artifact* artifact, size_t index,
                                                  partita_port* port);
PARTITA_API partita_status partita_artifact_output(const partita_artifact* artifact, size_t index,
                                                   partita_port* port);
/* Position of the input (output) with this name in the source. */
PARTITA_API partita_status partita_artifact_find_input(const partita_artifact* artifact,
                                                       const char* name, size_t* index);
PARTITA_API partita_status partita_artifact_find_output(const partita_artifact* artifact,
                                                        const char* name, size_t* index);

/* ---- Sessions ---- */

typedef struct partita_session_options {
  size_t struct_size;
  int32_t devices_per_rank; /* shards of this process; 0: as the target does best */
  int32_t use_mpi;          /* 1: this process is one rank of an MPI job; default 0 */
  /* A pointer to the MPI_Comm whose processes are the ranks, duplicated while the session is made;
   * default MPI_COMM_WORLD.  MPI is initialised if the host has not done so. */
  const void* mpi_comm;
  int64_t timeout_ms;     /* silence of a rank after which it counts as lost; default 60000 */
  int64_t memory_budget;  /* bytes per shard that the plan must fit in; default: no limit */
  int32_t check_replicas; /* 1: compare, after each run, what all shards hold alike; default 0 */
  int32_t trace;          /* 1: record events for partita_session_trace; default 0 */
  /* In-order cl_command_queue handles lent by the host, one per shard; default: the session opens
   * devices itself.  Each is retained while the session lives; it works in the queue's context and
   * in its order with what the host enqueues there between the session's calls. */
  void* const* command_queues;
  size_t command_queue_count; /* devices_per_rank, or 0 */
} partita_session_options;

typedef struct partita_session partita_session;

/* Opens devices, builds kernels, joins the other ranks; `options` may be NULL.  The artifact is not
 * needed afterwards.  *session is written on success alone.  Collective. */
PARTITA_API partita_status partita_session_create(const partita_artifact* artifact,
                                                  const partita_session_options* options,
                                                  partita_session** session);
/* Waits for work under way.  NULL is allowed. */
PARTITA_API void partita_session_free(partita_session* session);

/* 0 of 1 without MPI. */
PARTITA_API int32_t partita_session_rank(const partita_session* session);
PARTITA_API int32_t partita_session_ranks(const partita_session* session);

/* Copies the whole (global) array; each shard keeps its block of an input that is partitioned.
 * `bytes` must be the port's.  The value stays for all later runs, unless carried over. */
PARTITA_API partita_status partita_session_set_input(partita_session* session, size_t index,
                                                     const void* data, size_t bytes);

/* As partita_session_set_input, but devices that share the host's memory (CPUs) read the array where
 * it lies, if it begins at a multiple of 16 bytes; others copy it.  The caller keeps it, and changes
 * nothing in it, until the input has been given another value (set, lent or carried over) or the
 * session is freed. */
PARTITA_API partita_status partita_session_lend_input(partita_session* session, size_t index,
                                                      const void* data, size_t bytes);

/* Enqueues one execution of the program on all shards of this process and returns; every input must
 * have been set.  Collective. */
PARTITA_API partita_status partita_session_submit(partita_session* session);
/* Returns when all that was submitted is done. */
PARTITA_API partita_status partita_session_wait(partita_session* session);
/* partita_session_submit, then partita_session_wait.  Collective. */
PARTITA_API partita_status partita_session_run(partita_session* session);

/* After a run, before the next: output `output` becomes input `input`, on the device. */
typedef struct partita_carry {
  size_t output;
  size_t input;
} partita_carry;
PARTITA_API partita_status partita_session_carry(partita_session* session,
                                                 const partita_carry* carries, size_t count);

/* Waits for the last run and copies the whole (global) array of an output to `data` on rank 0; on
 * other ranks `data` is not touched and may be NULL.  `bytes` must be the port's.  Collective. */
PARTITA_API partita_status partita_session_read_output(partita_session* session, size_t index,
                                                       void* data, size_t bytes);

/* Counters of the last run on this rank: of its largest shard for peaks and planned bytes, of one
 * shard for collective calls, sums over its shards otherwise. */
typedef struct partita_stats {
  size_t struct_size;
  int64_t peak_device_bytes;
  int64_t peak_arena_bytes;
  int64_t planned_bytes;
  int64_t communicated_bytes;
  int64_t collective_calls;
  int64_t launches;   /* kernels and library calls */
  int64_t blocks;     /* iterations of loops over the shard's partitions */
  int64_t held_bytes; /* of all shards of this rank; memory that several use in place counts once */
} partita_stats;
PARTITA_API partita_status partita_session_stats(const partita_session* session,
                                                 partita_stats* stats);

/* Everything run so far as Chrome trace JSON, on rank 0 ("" on others); valid until the session's
 * next call.  Needs the option `trace`.  Collective. */
PARTITA_API partita_status partita_session_trace(partita_session* session, const char** json);

/* ---- Functions, buffers and events ----
 *
 * The same programs as functions from arrays that live on devices to arrays that live there: calls enqueue and
 * return, events say when work is done.  Devices, buffers, functions and events may be used by any number of threads
 * at once.  One process, without MPI; a session is for everything else. */

typedef struct partita_device partita_device;
typedef struct partita_buffer partita_buffer;
typedef struct partita_function partita_function;
typedef struct partita_event partita_event;

/* Opens `count` devices of a target, each with its own queue of work, into `devices`: of a single CPU, parts of its cores,
 * which they share where there are fewer.  All or none are written. */
PARTITA_API partita_status partita_device_open(const char* target, size_t count,
                                               partita_device** devices);
/* Buffers and functions on it live on.  NULL is allowed, here and for the others below. */
PARTITA_API void partita_device_free(partita_device* device);
/* The device's name, as its driver says it. */
PARTITA_API const char* partita_device_name(const partita_device* device);
/* Bytes held by buffers and functions on it. */
PARTITA_API int64_t partita_device_allocated_bytes(const partita_device* device);

/* A copy on the device of a dense array, which may change when the call returns.  `bytes` must be those of the type. */
PARTITA_API partita_status partita_buffer_create(partita_device* device, partita_dtype dtype,
                                                 size_t rank, const int64_t* dims, const void* data,
                                                 size_t bytes, partita_buffer** buffer);
/* Its element type, extents and bytes; `dims` belongs to the buffer. */
PARTITA_API partita_status partita_buffer_type(const partita_buffer* buffer, partita_dtype* dtype,
                                               size_t* rank, const int64_t** dims, size_t* bytes);
/* Copies the elements to `data`.  Where `done` is NULL the call returns when they are there, else at once, and `data`
 * stays until that event. */
PARTITA_API partita_status partita_buffer_read(const partita_buffer* buffer, void* data,
                                               size_t bytes, partita_event** done);
/* A copy on another device (or another one on its own). */
PARTITA_API partita_status partita_buffer_copy(const partita_buffer* buffer, partita_device* device,
                                               partita_buffer** copy);

/* A tensor of DLPack 1 (dlpack.h is not needed here): strided, in memory of the host.  CPUs read it where it lies if that is
 * dense, row-major and begins at a multiple of 16 bytes, and `copies` is 0; it stays as it is then until its deleter is
 * called, in any thread, when no buffer and no work needs it any more.  Else it is copied and the deleter called at once.
 * On failure the tensor stays the caller's. */
struct DLManagedTensorVersioned;
PARTITA_API partita_status partita_buffer_from_dlpack(partita_device* device,
                                                      struct DLManagedTensorVersioned* tensor,
                                                      int32_t copies, partita_buffer** buffer);
/* The elements as a tensor of DLPack in memory of the host, when they are there: those of a CPU's buffer where they lie,
 * marked read-only, a copy of others.  Its deleter is the caller's to call; the buffer may be freed before. */
PARTITA_API partita_status partita_buffer_to_dlpack(const partita_buffer* buffer,
                                                    struct DLManagedTensorVersioned** tensor);

/* When its elements are there; fails where what makes them failed. */
PARTITA_API partita_status partita_buffer_ready(const partita_buffer* buffer,
                                                partita_event** ready);
/* The memory is freed when work that uses it is done. */
PARTITA_API void partita_buffer_free(partita_buffer* buffer);

/* Builds the kernels on `count` devices: one for each shard of the program's mesh, in order, one where it has none.
 * The artifact is not needed afterwards. */
PARTITA_API partita_status partita_function_load(const partita_artifact* artifact,
                                                 partita_device* const* devices, size_t count,
                                                 partita_function** function);
/* Enqueues one execution.  `inputs`: `input_count` buffers for each device, those of the first device first; `outputs` gets
 * `output_count` new ones for each, in the same order, whose elements come later.  Inputs may be freed at once.
 * `donated`: a byte for each of the `input_count` arguments, or NULL.  Where it is not 0, the buffers are given up: results
 * may lie in their memory, and all that may be done with them is to free them, also where the call fails. */
PARTITA_API partita_status partita_execute(partita_function* function,
                                           partita_buffer* const* inputs, size_t input_count,
                                           const uint8_t* donated, partita_buffer** outputs,
                                           size_t output_count);
PARTITA_API void partita_function_free(partita_function* function);

/* Returns when the work is done, with the status and text of what it failed with. */
PARTITA_API partita_status partita_event_wait(const partita_event* event);
/* 1 when it is done, failed or not. */
PARTITA_API int32_t partita_event_is_done(const partita_event* event);
/* Called once, when the work is done: in a thread of partita, or at once and in this one.  `error` is the text of the
 * failure, "" where `status` is PARTITA_OK.  It must not wait for partita. */
typedef void (*partita_event_callback)(partita_status status, const char* error, void* user);
PARTITA_API partita_status partita_event_on_done(partita_event* event,
                                                 partita_event_callback callback, void* user);
PARTITA_API void partita_event_free(partita_event* event);

/* A host that initialised MPI with MPI_THREAD_SERIALIZED holds this lock whenever it calls MPI while
 * sessions with `use_mpi` exist; no call to partita is made in between.  Not recursive; the thread
 * that locked unlocks.  With MPI_THREAD_MULTIPLE it is not needed. */
PARTITA_API partita_status partita_mpi_lock(void);
PARTITA_API partita_status partita_mpi_unlock(void);

/* NOLINTEND(readability-identifier-naming,modernize-*) */

#ifdef __cplusplus
}
#endif

#endif /* PARTITA_H */
