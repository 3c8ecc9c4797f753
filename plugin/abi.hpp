// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// PJRT's binary interface, version 0.93, as far as a plugin for JAX needs it: what calls hand over, in this layout, and the
// table of functions.  Source of the layouts: the interface's own rule that structs begin with their size and only
// grow, checked by tests/unit/pjrt_abi.cpp.  Fields that a function writes are marked out; texts are not
// terminated, their sizes stand beside them.  Whoever makes an object destroys it by the function for that; arrays and
// texts that are handed out belong to the object that was asked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace partita::pjrt {

// What only this plugin looks into.
struct Error;
struct EventHandle;
struct Client;
struct DeviceHandle;
struct DeviceDescription;
class Topology;
struct Memory;
struct BufferHandle;
struct Executable;
struct LoadedExecutable;
struct MemoryLayout;

namespace abi {

constexpr int major_version = 0, minor_version = 93;

struct Header {
  std::size_t struct_size;
  void* extensions;
};

/// A list of further tables that a plugin offers.
struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};
constexpr int layouts_extension = 4, shardings_extension = 19;

enum ErrorCode : int {
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  not_found = 5,
  resource_exhausted = 8,
  failed_precondition = 9,
  unimplemented = 12,
  internal = 13,
};

enum ValueKind : int { text_value, int64_value, int64_list_value, float_value, bool_value };

struct NamedValue {
  Header header;
  const char* name;
  std::size_t name_size;
  ValueKind kind;
  union {
    const char* text;
    std::int64_t int64;
    const std::int64_t* int64_list;
    float float32;
    bool boolean;
  };
  std::size_t value_size;  // of a text or list, else 1
};

// --- Errors ---------------------------------------------------------------------------------------------

struct ErrorDestroy {
  Header header;
  Error* error;
};
struct ErrorMessage {
  Header header;
  const Error* error;
  const char* message;  // out
  std::size_t message_size;
};
struct ErrorGetCode {
  Header header;
  const Error* error;
  ErrorCode code;  // out
};

// --- The plugin -----------------------------------------------------------------------------------------

struct PluginInitialize {
  Header header;
};
struct PluginAttributes {
  Header header;
  const NamedValue* attributes;  // out
  std::size_t num_attributes;
};

// --- Events ---------------------------------------------------------------------------------------------

/// Destroy, Error and Await.
struct OfEvent {
  Header header;
  EventHandle* event;
};
struct EventIsReady {
  Header header;
  EventHandle* event;
  bool is_ready;  // out
};
/// Becomes the owner of the error, which may be null.
using EventCallback = void (*)(Error* error, void* user);
struct EventOnReady {
  Header header;
  EventHandle* event;
  EventCallback callback;
  void* user;
};

// --- The client -----------------------------------------------------------------------------------------

/// What functions of the caller's make an error with.
using MakeError = Error* (*)(int code, const char* text, std::size_t text_size);
struct StoreGet {
  Header header;
  const char* key;
  std::size_t key_size;
  int timeout_ms;
  MakeError* make_error;
  void* user;
  char* text;  // out
  std::size_t text_size;
  void (*deleter)(char* text);
};
struct StorePut {
  Header header;
  const char* key;
  std::size_t key_size;
  const char* text;
  std::size_t text_size;
  MakeError* make_error;
  void* user;
};
struct ClientCreate {
  Header header;
  const NamedValue* options;
  std::size_t num_options;
  Error* (*get_callback)(StoreGet*);  // of a store that processes share
  void* get_user;
  Error* (*put_callback)(StorePut*);
  void* put_user;
  Client* client;  // out
  void *try_get_callback, *try_get_user;
};
/// Destroy; of UpdateGlobalProcessInfo what is used.
struct ClientDestroy {
  Header header;
  Client* client;
};
/// PlatformName and PlatformVersion.
struct ClientText {
  Header header;
  Client* client;
  const char* text;  // out
  std::size_t text_size;
};
struct ClientProcessIndex {
  Header header;
  Client* client;
  int process_index;  // out
};
/// Devices and AddressableDevices.
struct ClientDevices {
  Header header;
  Client* client;
  DeviceHandle* const* devices;  // out
  std::size_t num_devices;
};
/// LookupDevice and LookupAddressableDevice.
struct ClientLookup {
  Header header;
  Client* client;
  int id;
  DeviceHandle* device;  // out
};
struct ClientMemories {
  Header header;
  Client* client;
  Memory* const* memories;  // out
  std::size_t num_memories;
};
struct Program {
  Header header;
  char* code;
  std::size_t code_size;
  const char* format;
  std::size_t format_size;
};
struct ClientCompile {
  Header header;
  Client* client;
  const Program* program;
  const char* options;
  std::size_t options_size;
  LoadedExecutable* executable;  // out
};
struct ClientTopology {
  Header header;
  Client* client;
  Topology* topology;  // out, the client's
};
struct ClientDefaultAssignment {
  Header header;
  Client* client;
  int num_replicas, num_partitions;
  std::size_t assignment_size;
  int* assignment;  // out, in the caller's memory
};

enum HostSemantics : int {
  only_during_call,
  until_transfer_completes,
  zero_copy,
  mutable_zero_copy,
};
enum LayoutKind : int { tiled_layout, strided_layout };
struct TiledLayout {
  Header header;
  const std::int64_t* minor_to_major;
  std::size_t minor_to_major_size;
  const std::int64_t* tile_dims;
  const std::size_t* tile_dim_sizes;
  std::size_t num_tiles;
};
struct StridedLayout {
  Header header;
  const std::int64_t* byte_strides;
  std::size_t num_byte_strides;
};
struct Layout {
  Header header;
  union {
    TiledLayout tiled;
    StridedLayout strided;
  };
  LayoutKind kind;
};
struct BufferFromHost {
  Header header;
  Client* client;
  const void* data;
  int element_type;
  const std::int64_t* dims;
  std::size_t num_dims;
  const std::int64_t* byte_strides;
  std::size_t num_byte_strides;
  HostSemantics semantics;
  DeviceHandle* device;
  Memory* memory;
  Layout* device_layout;
  EventHandle* done_with_host_buffer;  // out
  BufferHandle* buffer;
};
struct ViewOfDeviceBuffer {
  Header header;
  Client* client;
  void* data;
  const std::int64_t* dims;
  std::size_t num_dims;
  int element_type;
  Layout* layout;
  DeviceHandle* device;
  void (*on_delete)(void* data, void* user);
  void* on_delete_user;
  std::intptr_t stream;
  BufferHandle* buffer;  // out
  Memory* memory;
};
struct UninitializedBuffer {
  Header header;
  Client* client;
  const std::int64_t* dims;
  std::size_t num_dims;
  int element_type;
  Layout* layout;
  DeviceHandle* device;
  Memory* memory;
  BufferHandle* buffer;  // out
};

// --- Devices and memories -------------------------------------------------------------------------------

struct DescriptionId {
  Header header;
  DeviceDescription* device;
  int id;  // out
};
using DescriptionProcessIndex = DescriptionId;
struct DescriptionAttributes {
  Header header;
  DeviceDescription* device;
  std::size_t num_attributes;  // out
  const NamedValue* attributes;
};
struct DeviceAttributes {
  Header header;
  DeviceHandle* device;
  const NamedValue* attributes;  // out, until the deleter is called
  std::size_t num_attributes;
  void* owner;
  void (*deleter)(void* owner);
};
/// Kind, DebugString and ToString.
struct DescriptionText {
  Header header;
  DeviceDescription* device;
  const char* text;  // out
  std::size_t text_size;
};
struct DeviceGetDescription {
  Header header;
  DeviceHandle* device;
  DeviceDescription* description;  // out
};
struct DeviceIsAddressable {
  Header header;
  DeviceHandle* device;
  bool is_addressable;  // out
};
struct DeviceLocalHardwareId {
  Header header;
  DeviceHandle* device;
  int id;  // out
};
struct DeviceMemories {
  Header header;
  DeviceHandle* device;
  Memory* const* memories;  // out
  std::size_t num_memories;
};
struct DeviceDefaultMemory {
  Header header;
  DeviceHandle* device;
  Memory* memory;  // out
};
/// A number that may be known.
struct Known {
  std::int64_t value;
  bool is_set;
};
struct DeviceMemoryStats {
  Header header;
  DeviceHandle* device;
  std::int64_t bytes_in_use;  // out, as all that follows
  Known peak_bytes_in_use, num_allocs, largest_alloc_size, bytes_limit, bytes_reserved,
      peak_bytes_reserved, bytes_reservable_limit, largest_free_block_bytes, pool_bytes,
      peak_pool_bytes;
};
struct MemoryId {
  Header header;
  Memory* memory;
  int id;  // out
};
/// Kind, DebugString and ToString.
struct MemoryText {
  Header header;
  Memory* memory;
  const char* text;  // out
  std::size_t text_size;
};
struct MemoryDevices {
  Header header;
  Memory* memory;
  DeviceHandle* const* devices;  // out
  std::size_t num_devices;
};

// --- Executables ----------------------------------------------------------------------------------------

struct OfExecutable {
  Header header;
  Executable* executable;
};
/// Of the executable or the loaded one: Destroy, Delete.
struct OfLoaded {
  Header header;
  LoadedExecutable* executable;
};
struct LoadedIsDeleted {
  Header header;
  LoadedExecutable* executable;
  bool is_deleted;  // out
};
struct LoadedGetExecutable {
  Header header;
  LoadedExecutable* loaded;
  Executable* executable;  // out
};
/// Bytes of a serialised object that the caller has deleted.
template <class Owner>
struct Serialized {
  Header header;
  Owner* executable;
  const char* bytes;  // out
  std::size_t bytes_size;
  void* owner;
  void (*deleter)(void* owner);
};
/// Name and, of both kinds, Fingerprint.
template <class Owner>
struct ExecutableText {
  Header header;
  Owner* executable;
  const char* text;  // out
  std::size_t text_size;
};
/// NumReplicas, NumPartitions and NumOutputs.
struct ExecutableCount {
  Header header;
  Executable* executable;
  std::size_t count;  // out
};
struct ExecutableCodeSize {
  Header header;
  Executable* executable;
  std::int64_t bytes;  // out
};
struct ExecutableCostAnalysis {
  Header header;
  Executable* executable;
  std::size_t num_properties;  // out
  const NamedValue* properties;
};
struct ExecutableMemoryStats {
  Header header;
  Executable* executable;
  std::int64_t code_bytes, argument_bytes, output_bytes, alias_bytes, temporary_bytes;  // out
  std::int64_t host_code_bytes, host_argument_bytes, host_output_bytes, host_alias_bytes,
      host_temporary_bytes;
  std::int64_t peak_bytes, total_bytes;
};
struct ExecutableOutputTypes {
  Header header;
  Executable* executable;
  const int* types;  // out
  std::size_t num_outputs;
};
struct ExecutableOutputDims {
  Header header;
  Executable* executable;
  std::size_t num_outputs;   // out
  const std::int64_t* dims;  // of all outputs, one after the other
  const std::size_t* dim_counts;
};
struct ExecutableMemoryKinds {
  Header header;
  Executable* executable;
  std::size_t num_outputs;  // out
  const char* const* kinds;
  const std::size_t* kind_sizes;
};
struct ExecutableProgram {
  Header header;
  Executable* executable;
  Program* program;  // its code is null where the size is asked for
};
struct TopologyCreate {
  Header header;
  const char* name;
  std::size_t name_size;
  const NamedValue* options;
  std::size_t num_options;
  Topology* topology;  // out
};
struct TopologyDeserialize {
  Header header;
  const char* bytes;
  std::size_t bytes_size;
  Topology* topology;  // out
};
struct TopologyDestroy {
  Header header;
  Topology* topology;
};
/// PlatformName and PlatformVersion.
struct TopologyText {
  Header header;
  const Topology* topology;
  const char* text;  // out
  std::size_t text_size;
};
struct TopologyDevices {
  Header header;
  const Topology* topology;
  DeviceDescription* const* devices;  // out
  std::size_t num_devices;
};
struct TopologyAttributes {
  Header header;
  const Topology* topology;
  const NamedValue* attributes;  // out
  std::size_t num_attributes;
};
/// For the devices of a topology, without loading it.
struct Compile {
  Header header;
  const Topology* topology;
  const Program* program;
  const char* options;
  std::size_t options_size;
  Client* client;          // or null
  Executable* executable;  // out
};
struct ExecutableDeserialize {
  Header header;
  Client* client;
  const char* bytes;
  std::size_t bytes_size;
  LoadedExecutable* executable;  // out
  const char* options;
  std::size_t options_size;
};
struct LoadedDevices {
  Header header;
  LoadedExecutable* executable;
  DeviceHandle* const* devices;  // out
  std::size_t num_devices;
};
struct ExecuteOptions {
  Header header;
  void *send_callbacks, *receive_callbacks;
  std::size_t num_sends, num_receives;
  int launch_id;
  const std::int64_t* kept_inputs;  // not to be donated
  std::size_t num_kept_inputs;
  void* context;
  const char* call_location;
};
struct LoadedExecute {
  Header header;
  LoadedExecutable* executable;
  ExecuteOptions* options;
  BufferHandle* const* const* arguments;  // of each device
  std::size_t num_devices, num_arguments;
  BufferHandle** const* outputs;  // out, in the caller's memory
  EventHandle** completed;        // out, one for each device; null: not wanted
  DeviceHandle* execute_device;   // of a portable executable
};

// --- Buffers --------------------------------------------------------------------------------------------

/// Destroy, Delete, and the two that count references.
struct OfBuffer {
  Header header;
  BufferHandle* buffer;
};
struct BufferElementType {
  Header header;
  BufferHandle* buffer;
  int type;  // out
};
/// Dimensions and UnpaddedDimensions.
struct BufferDimensions {
  Header header;
  BufferHandle* buffer;
  const std::int64_t* dims;  // out
  std::size_t num_dims;
};
struct BufferDynamicDimensions {
  Header header;
  BufferHandle* buffer;
  const std::size_t* dims;  // out
  std::size_t num_dims;
};
struct BufferLayout {
  Header header;
  BufferHandle* buffer;
  Layout layout;  // out
};
struct BufferToHost {
  Header header;
  BufferHandle* buffer;
  Layout* layout;
  void* to;             // null: only the size is asked for
  std::size_t to_size;  // in, or out where `to` is null
  EventHandle* event;   // out
};
struct BufferCopyRawToHost {
  Header header;
  BufferHandle* buffer;
  void* to;
  std::int64_t offset, bytes;
  EventHandle* event;  // out
};
struct BufferSize {
  Header header;
  BufferHandle* buffer;
  std::size_t bytes;  // out
};
/// IsDeleted and IsOnCpu.
struct BufferFlag {
  Header header;
  BufferHandle* buffer;
  bool value;  // out
};
struct BufferCopyToDevice {
  Header header;
  BufferHandle* buffer;
  DeviceHandle* device;
  BufferHandle* copy;  // out
};
struct BufferCopyToMemory {
  Header header;
  BufferHandle* buffer;
  Memory* memory;
  BufferHandle* copy;  // out
};
struct BufferDevice {
  Header header;
  BufferHandle* buffer;
  DeviceHandle* device;  // out
};
struct BufferMemory {
  Header header;
  BufferHandle* buffer;
  Memory* memory;  // out
};
struct BufferReadyEvent {
  Header header;
  BufferHandle* buffer;
  EventHandle* event;  // out
};
/// UnsafePointer and OpaqueDeviceMemoryDataPointer.
struct BufferPointer {
  Header header;
  BufferHandle* buffer;
  void* pointer;  // out
};

// --- Tables ---------------------------------------------------------------------------------------------

/// ParameterShardings and OutputShardings: serialised OpSharding messages.
struct ExecutableShardings {
  Header header;
  Executable* executable;
  std::size_t count;  // out
  const char* const* shardings;
  const std::size_t* sizes;
};

// --- The extension of layouts -----------------------------------------------------------------------------

struct LayoutDestroy {
  Header header;
  MemoryLayout* layout;
};
struct LayoutSerialize {
  Header header;
  MemoryLayout* layout;
  const char* bytes;  // out, until the deleter is called
  std::size_t bytes_size;
  void* owner;
  void (*deleter)(void* owner);
};
struct LayoutDefault {
  Header header;
  Client* client;
  int type;
  const std::int64_t* dims;
  std::size_t num_dims;
  MemoryLayout* layout;  // out
};
struct LayoutOfBuffer {
  Header header;
  BufferHandle* buffer;
  MemoryLayout* layout;  // out
};
struct LayoutsOfExecutable {
  Header header;
  Executable* executable;
  std::size_t count;  // out
  MemoryLayout* const* layouts;
};

/// A function takes its struct of arguments and returns null where it succeeded, else an error that the caller destroys.
using Function = Error* (*)(void* arguments);

struct LayoutsExtension {
  Extension base;
  Function destroy, serialize, client_default, of_buffer, topology_default, of_outputs,
      of_parameters;
};

struct ShardingsExtension {
  Extension base;
  Function parameter_shardings, output_shardings;
};

struct Version {
  Header header;
  int major, minor;
};

struct Table {
  std::size_t struct_size;
  Extension* extensions;
  Version version;
#define PARTITA_PJRT_FUNCTION(name) Function name;
#include "plugin/functions.def"
#undef PARTITA_PJRT_FUNCTION
};

}  // namespace abi
}  // namespace partita::pjrt
