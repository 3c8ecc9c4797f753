// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/c_api/dlpack.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/base/type.hpp"
#include "runtime/c_api/boundary.hpp"
#include "runtime/c_api/handles.hpp"

namespace {

namespace dlpack = partita::c_api::dlpack;
using dlpack::Code;
using dlpack::ManagedTensor;
using dlpack::Tensor;
using partita::cat;
using partita::Dims;
using partita::DType;
using partita::Kinds;
using partita::throw_user_error;
using partita::Type;
using partita::c_api::array_of;
using partita::c_api::guarded;
using partita::c_api::require;

/// Floats that have a code of their own.
constexpr std::array<std::pair<DType, Code>, 10> coded_floats{{
    {DType::bf16, Code::bfloat},
    {DType::f8e3m4, Code::f8e3m4},
    {DType::f8e4m3, Code::f8e4m3},
    {DType::f8e4m3b11fnuz, Code::f8e4m3b11fnuz},
    {DType::f8e4m3fn, Code::f8e4m3fn},
    {DType::f8e4m3fnuz, Code::f8e4m3fnuz},
    {DType::f8e5m2, Code::f8e5m2},
    {DType::f8e5m2fnuz, Code::f8e5m2fnuz},
    {DType::f8e8m0fnu, Code::f8e8m0fnu},
    {DType::f4e2m1fn, Code::f4e2m1fn},
}};

Code code_of(DType dtype) {
  const auto coded = std::ranges::find(coded_floats, dtype, &std::pair<DType, Code>::first);
  if (coded != coded_floats.end()) return coded->second;
  switch (partita::info(dtype).kind) {
    case Kinds::boolean:
      return Code::boolean;
    case Kinds::signed_:
      return Code::integer;
    case Kinds::unsigned_:
      return Code::unsigned_integer;
    case Kinds::complex:
      return Code::complex;
    default:
      return Code::floating;
  }
}

/// A truth value is a byte there too.
dlpack::ElementType element_type(DType dtype) {
  const int bits = dtype == DType::i1 ? 8 : partita::info(dtype).bits;
  return {.code = code_of(dtype), .bits = std::uint8_t(bits), .lanes = 1};
}

/// Of fewer bits than a byte, which elements here fill.
bool is_padded(dlpack::ElementType type) { return type.bits < 8; }

DType dtype_of(dlpack::ElementType type) {
  for (const DType dtype : partita::all_dtypes)
    if (element_type(dtype) == type) return dtype;
  throw_user_error(cat("tensor: expected elements of one of partita_dtype, found code ",
                       int(type.code), " of ", int(type.bits), " bits, ", type.lanes, " lanes"));
}

Type checked_type(const ManagedTensor& managed) {
  const Tensor& tensor = managed.tensor;
  if (managed.major != dlpack::major_version)
    throw_user_error(cat("tensor: expected version ", dlpack::major_version,
                         " of DLPack, found version ", managed.major));
  if (tensor.device_type != dlpack::host_device)
    throw_user_error(cat("tensor: expected memory of the host (device type ", dlpack::host_device,
                         "), found device type ", tensor.device_type));
  if (is_padded(tensor.type) && (managed.flags & dlpack::is_padded) == 0)
    throw_user_error(cat("tensor: expected each element of ", int(tensor.type.bits),
                         " bits in a byte of its own, found packed ones"));
  Type type{.dtype = dtype_of(tensor.type), .dims = {}};
  if (tensor.rank < 0)
    throw_user_error(cat("tensor: expected no negative rank, found ", tensor.rank));
  for (std::int32_t d = 0; d < tensor.rank; ++d)
    type.dims.push_back((&require(tensor.dims, "tensor.shape"))[d]);
  if (std::ranges::any_of(type.dims, [](std::int64_t n) { return n < 0; }) ||
      !partita::checked_bytes(type))
    throw_user_error(cat("tensor: expected extents of an array that fits in memory, found ",
                         partita::to_string(type)));
  return type;
}

bool is_row_major(const Tensor& tensor, const Type& type) {
  if (tensor.strides == nullptr || type.count() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t d = type.dims.size(); d-- > 0; expected *= type.dims[d])
    if (type.dims[d] != 1 && tensor.strides[d] != expected) return false;
  return true;
}

/// Appends the elements at `from` of dimensions from `d` on, row-major.
void gather(const Tensor& tensor, const Type& type, std::size_t d, const std::byte* from,
            std::vector<std::byte>& to) {
  const std::size_t width = partita::byte_size(type.dtype);
  if (d == type.dims.size()) {
    to.insert(to.end(), from, from + width);
    return;
  }
  const std::int64_t stride = tensor.strides[d] * std::int64_t(width);
  for (std::int64_t i = 0; i < type.dims[d]; ++i)
    gather(tensor, type, d + 1, from + i * stride, to);
}

std::vector<std::byte> dense_elements(const Tensor& tensor, const Type& type,
                                      const std::byte* first) {
  std::vector<std::byte> elements;
  elements.reserve(type.bytes());
  if (is_row_major(tensor, type))
    elements.assign(first, first + type.bytes());
  else
    gather(tensor, type, 0, first, elements);
  if (partita::is_narrow_integer(type.dtype))
    for (std::byte& b : elements) b = std::byte(partita::stored_bits(type.dtype, std::uint64_t(b)));
  return elements;
}

void release(ManagedTensor* tensor) {
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

/// What a tensor that was handed out lives on.
struct Exported {
  ManagedTensor managed;
  partita::DeviceArrayPtr array;    // elements where they lie
  std::vector<std::byte> elements;  // else a copy
  Dims dims, strides;
};

std::unique_ptr<Exported> exported(const partita::DeviceArrayPtr& array) {
  auto made = std::make_unique<Exported>();
  const Type& type = array->type();
  made->dims = type.dims;
  made->strides.resize(type.dims.size());
  std::int64_t stride = 1;
  for (std::size_t d = type.dims.size(); d-- > 0; stride *= type.dims[d]) made->strides[d] = stride;
  Tensor& tensor = made->managed.tensor;
  if (const std::byte* data = type.count() > 0 ? array->host_data() : nullptr) {
    made->array = array;
    made->managed.flags = dlpack::read_only;
    tensor.data = const_cast<std::byte*>(data);
  } else {
    made->elements.resize(type.bytes());
    array->download(made->elements)->wait();
    made->managed.flags = dlpack::is_copied;
    tensor.data = made->elements.data();
  }
  tensor.rank = std::int32_t(type.dims.size());
  tensor.type = element_type(type.dtype);
  if (is_padded(tensor.type)) made->managed.flags |= dlpack::is_padded;
  tensor.dims = made->dims.data();
  tensor.strides = made->strides.data();
  made->managed.context = made.get();
  made->managed.deleter = [](ManagedTensor* self) {
    const std::unique_ptr<Exported> owner(static_cast<Exported*>(self->context));
  };
  return made;
}

}  // namespace

partita_status partita_buffer_from_dlpack(partita_device* device, DLManagedTensorVersioned* tensor,
                                          int32_t copies, partita_buffer** buffer) {
  return guarded([&] {
    partita::Stream& stream = *require(device, "device").stream;
    require(buffer, "buffer");
    auto* managed = reinterpret_cast<ManagedTensor*>(&require(tensor, "tensor"));
    const Type type = checked_type(*managed);
    const Tensor& from = managed->tensor;
    const std::byte* first = nullptr;
    if (type.count() > 0)
      first = &require(static_cast<const std::byte*>(from.data), "tensor.data") + from.byte_offset;
    auto made = std::make_unique<partita_buffer>();
    if (copies == 0 && first != nullptr && is_row_major(from, type) && !is_padded(from.type))
      made->array = stream.share(type, {first, type.bytes()}, [managed] { release(managed); });
    if (!made->array) {
      made->array = stream.upload(type, dense_elements(from, type, first));
      release(managed);
    }
    *buffer = made.release();
  });
}

partita_status partita_buffer_to_dlpack(const partita_buffer* buffer,
                                        DLManagedTensorVersioned** tensor) {
  return guarded([&] {
    require(tensor, "tensor");
    *tensor = reinterpret_cast<DLManagedTensorVersioned*>(
        &exported(array_of(buffer, "buffer")).release()->managed);
  });
}
