/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * A libcuda.so.1 for machines without a GPU, for tests of gpu/ptx: memory is the host's, streams do their work at once, and a
 * kernel is a function of that name in the shared object STAND_IN_KERNELS, compiled from the same OpenCL C for this processor.  The
 * items of a group are coroutines that meet at barriers. */
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { invalid = 1, not_found = 500, most_items = 1024, stack_bytes = 1 << 16 };

/* --- Items of a group, as kernels see them --- */

static uint64_t offset_of_launch[3];
static unsigned grid[3], block[3], group[3];
static ucontext_t scheduler, items[most_items];
static char* stacks;
static unsigned current;
static char is_done[most_items];

static unsigned place(unsigned d) {
  return d == 0   ? current % block[0]
         : d == 1 ? current / block[0] % block[1]
                  : current / block[0] / block[1];
}
size_t _Z12get_local_idj(unsigned d) { return place(d); }
size_t _Z12get_group_idj(unsigned d) { return group[d]; }
size_t _Z14get_local_sizej(unsigned d) { return block[d]; }
size_t _Z14get_num_groupsj(unsigned d) { return grid[d]; }
size_t _Z15get_global_sizej(unsigned d) { return (size_t)grid[d] * block[d]; }
size_t _Z13get_global_idj(unsigned d) {
  return (size_t)group[d] * block[d] + place(d) + offset_of_launch[d];
}
void _Z7barrierj(unsigned flags) {
  (void)flags;
  swapcontext(&items[current], &scheduler);
}
float _Z3expf(float x) { return expf(x); }
float _Z4fmaxff(float x, float y) { return fmaxf(x, y); }
float _Z3fmafff(float x, float y, float z) { return fmaf(x, y, z); }
int _Z5isnanf(float x) { return isnan(x); }

typedef uint64_t word;
static void (*running)(word, word, word, word, word, word, word, word, word, word, word, word, word,
                       word, word, word);
static word arguments[16];

static void item(void) {
  word* a = arguments;
  running(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
          a[14], a[15]);
  is_done[current] = 1;
}

static void run_group(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    getcontext(&items[i]);
    items[i].uc_stack.ss_sp = stacks + (size_t)i * stack_bytes;
    items[i].uc_stack.ss_size = stack_bytes;
    items[i].uc_link = &scheduler;
    makecontext(&items[i], item, 0);
    is_done[i] = 0;
  }
  for (unsigned left = count; left > 0;)
    for (unsigned i = 0; i < count; ++i) {
      if (is_done[i]) continue;
      current = i;
      swapcontext(&scheduler, &items[i]);
      left -= is_done[i];
    }
}

/* --- The driver's interface --- */

struct function {
  void* code;
  unsigned count;
  unsigned char bytes[16]; /* of each parameter */
};

int cuInit(unsigned flags) { return flags == 0 ? 0 : invalid; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int bytes, int device) {
  (void)device;
  strncpy(name, "NVIDIA stand-in", (size_t)bytes);
  return 0;
}
int cuDeviceGetAttribute(int* value, int what, int device) {
  return (void)what, (void)device, *value = 4, 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return (void)device, *bytes = (size_t)4 << 30, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  return (void)device, *context = &scheduler, 0;
}
int cuCtxSetCurrent(void* context) { return context == &scheduler ? 0 : invalid; }
int cuCtxSynchronize(void) { return 0; }
int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  *address = (uint64_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *address == 0;
}
int cuMemFree_v2(uint64_t address) { return free((void*)address), 0; }
int cuMemHostAlloc(void** host, size_t bytes, unsigned flags) {
  (void)flags;
  *host = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *host == NULL;
}
int cuMemFreeHost(void* host) { return free(host), 0; }
int cuMemHostGetDevicePointer_v2(uint64_t* address, void* host, unsigned flags) {
  return (void)flags, *address = (uint64_t)host, 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  return (void)stream, memcpy((void*)to, from, bytes), 0;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  return (void)stream, memcpy(to, (void*)from, bytes), 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  return (void)stream, memmove((void*)to, (void*)from, bytes), 0;
}
int cuStreamCreate(void** stream, unsigned flags) { return (void)flags, *stream = malloc(1), 0; }
int cuStreamDestroy_v2(void* stream) { return free(stream), 0; }
int cuStreamSynchronize(void* stream) { return (void)stream, 0; }
int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return (void)stream, (void)event, (void)flags, 0;
}
/* An event is the number of what was recorded until then, and a millisecond lies between two of them. */
int cuEventCreate(void** event, unsigned flags) {
  return (void)flags, *event = calloc(1, sizeof(int)), 0;
}
int cuEventRecord(void* event, void* stream) {
  static int last;
  return (void)stream, *(int*)event = ++last, 0;
}
int cuEventQuery(void* event) { return event == NULL; }
int cuEventSynchronize(void* event) { return event == NULL; }
int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  return *milliseconds = (float)(*(int*)end - *(int*)begin), 0;
}
int cuEventDestroy_v2(void* event) { return free(event), 0; }
int cuModuleLoadDataEx(void** module, const void* text, unsigned count, int* options,
                       void** values) {
  (void)count, (void)options, (void)values;
  if (strstr(text, ".visible .entry ") == NULL) return invalid;
  *module = strdup(text);
  return 0;
}
int cuModuleUnload(void* module) { return free(module), 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(getenv("STAND_IN_KERNELS"), RTLD_NOW | RTLD_LOCAL);
  void* code = library == NULL ? NULL : dlsym(library, name);
  char entry[512];
  snprintf(entry, sizeof entry, ".visible .entry %s(", name);
  const char* text = strstr(module, entry);
  if (code == NULL || text == NULL) return not_found;
  struct function* f = calloc(1, sizeof *f); /* lives as long as the process */
  f->code = code;
  const char* end = strchr(text, ')');
  while ((text = strstr(text, ".param .")) != NULL && text < end && f->count < 16) {
    text += strlen(".param .");
    f->bytes[f->count++] = strncmp(text + 1, "64", 2) == 0 ? 8 : 4;
  }
  return *function = f, 0;
}
int cuModuleGetGlobal_v2(uint64_t* address, size_t* bytes, void* module, const char* name) {
  if (strcmp(name, "partita_offset") != 0 || strstr(module, name) == NULL) return not_found;
  *address = (uint64_t)offset_of_launch;
  return *bytes = sizeof offset_of_launch, 0;
}
int cuFuncGetAttribute(int* value, int what, void* function) {
  return (void)what, (void)function, *value = most_items, 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** parameters, void** extra) {
  (void)shared, (void)stream, (void)extra;
  const unsigned count = bx * by * bz;
  if (count > most_items || gx * gy * gz == 0) return invalid;
  if (stacks == NULL) stacks = malloc((size_t)most_items * stack_bytes);
  const struct function* f = function;
  memcpy(&running, &f->code, sizeof running);
  for (unsigned i = 0; i < f->count; ++i) {
    arguments[i] = 0;
    memcpy(&arguments[i], parameters[i], f->bytes[i]);
  }
  grid[0] = gx, grid[1] = gy, grid[2] = gz, block[0] = bx, block[1] = by, block[2] = bz;
  for (group[2] = 0; group[2] < gz; ++group[2])
    for (group[1] = 0; group[1] < gy; ++group[1])
      for (group[0] = 0; group[0] < gx; ++group[0]) run_group(count);
  return 0;
}
