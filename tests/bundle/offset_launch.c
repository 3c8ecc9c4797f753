/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * Launches a kernel of two dimensions on part of its items: offset_launch KERNEL.cl.  Exit status 0 where exactly those were run. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static char text[4096];

int main(int count, char** arguments) {
  FILE* file = count == 2 ? fopen(arguments[1], "rb") : NULL;
  if (file == NULL) return 2;
  const size_t bytes = fread(text, 1, sizeof text, file);
  fclose(file);
  const char* texts[] = {text};
  cl_platform_id platform;
  cl_device_id device;
  cl_int code = clGetPlatformIDs(1, &platform, NULL);
  if (code == CL_SUCCESS) code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (code != CL_SUCCESS) return fprintf(stderr, "no device: %d\n", code), 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  cl_program program = clCreateProgramWithSource(context, 1, texts, &bytes, &code);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
    return fprintf(stderr, "not built\n"), 1;
  cl_kernel kernel = clCreateKernel(program, "mark", &code);
  enum { rows = 8, columns = 12 };
  cl_int marks[rows * columns] = {0};
  cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof marks, marks, &code);
  const cl_int width = columns;
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  clSetKernelArg(kernel, 1, sizeof width, &width);
  /* Twice elsewhere, then from 0 on: the offset of one launch must not stay. */
  const size_t offsets[][2] = {{4, 2}, {8, 6}, {0, 0}}, items[] = {4, 2}, group[] = {2, 1};
  for (int i = 0; i < 3; ++i)
    if (clEnqueueNDRangeKernel(queue, kernel, 2, offsets[i], items, group, 0, NULL, NULL) !=
        CL_SUCCESS)
      return 1;
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof marks, marks, 0, NULL, NULL);
  int wrong = 0;
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < columns; ++x) {
      int expected = 0;
      for (int i = 0; i < 3; ++i)
        expected += x >= offsets[i][0] && x < offsets[i][0] + items[0] && y >= offsets[i][1] &&
                    y < offsets[i][1] + items[1];
      if (marks[y * columns + x] != expected) {
        fprintf(stderr, "item %zu, %zu: expected %d, found %d\n", x, y, expected,
                marks[y * columns + x]);
        ++wrong;
      }
    }
  return wrong != 0;
}
