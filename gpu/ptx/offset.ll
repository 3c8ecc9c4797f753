; get_global_id with the first item of a launch, which CUDA's launches do not have: the driver of gpu/ptx sets it.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-nvcl"

@partita_offset = addrspace(4) externally_initialized global [3 x i64] zeroinitializer, align 8

declare i64 @_Z12get_group_idj(i32)
declare i64 @_Z14get_local_sizej(i32)
declare i64 @_Z12get_local_idj(i32)

define i64 @_Z13get_global_idj(i32 %dimension) alwaysinline {
  %group = call i64 @_Z12get_group_idj(i32 %dimension)
  %size = call i64 @_Z14get_local_sizej(i32 %dimension)
  %item = call i64 @_Z12get_local_idj(i32 %dimension)
  %known = icmp ult i32 %dimension, 3
  %within = select i1 %known, i32 %dimension, i32 0
  %place = getelementptr [3 x i64], ptr addrspace(4) @partita_offset, i32 0, i32 %within
  %offset = load i64, ptr addrspace(4) %place, align 8
  %first = mul i64 %group, %size
  %here = add i64 %first, %item
  %id = add i64 %here, %offset
  ret i64 %id
}
