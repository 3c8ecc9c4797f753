// Devices in an order that no mesh of them has: the program runs on one device.
// passes: inline name-mesh batch-processes
// remark: the program runs on one device, because no one mesh has the axes along which its values are cut
// count: sdy.sharding_constraint 0
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]0,2,3,1}"}) -> tensor<8xf32> {
    %0 = stablehlo.sine %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
