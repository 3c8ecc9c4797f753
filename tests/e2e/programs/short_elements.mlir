// Written by make_short_elements.py.
module attributes {mr.placements = {parts = 6}} {
  func.func @main(%a1: tensor<6x40xi2>, %a2: tensor<6x40xi2>, %a3: tensor<40xf32>, %a4: tensor<6x40xi4>, %a5: tensor<6x40xi4>, %a6: tensor<40xf32>, %a7: tensor<6x40xui2>, %a8: tensor<6x40xui2>, %a9: tensor<40xf32>, %a10: tensor<6x40xui4>, %a11: tensor<6x40xui4>, %a12: tensor<40xf32>, %a13: tensor<16xf4E2M1FN>, %a14: tensor<16xf4E2M1FN>, %a15: tensor<85xf32>, %a16: tensor<6x40xf4E2M1FN>, %a17: tensor<256xf8E3M4>, %a18: tensor<256xf8E3M4>, %a19: tensor<325xf32>, %a20: tensor<6x40xf8E3M4>, %a21: tensor<256xf8E4M3>, %a22: tensor<256xf8E4M3>, %a23: tensor<325xf32>, %a24: tensor<6x40xf8E4M3>, %a25: tensor<256xf8E4M3B11FNUZ>, %a26: tensor<256xf8E4M3B11FNUZ>, %a27: tensor<325xf32>, %a28: tensor<6x40xf8E4M3B11FNUZ>, %a29: tensor<256xf8E4M3FN>, %a30: tensor<256xf8E4M3FN>, %a31: tensor<325xf32>, %a32: tensor<6x40xf8E4M3FN>, %a33: tensor<256xf8E4M3FNUZ>, %a34: tensor<256xf8E4M3FNUZ>, %a35: tensor<325xf32>, %a36: tensor<6x40xf8E4M3FNUZ>, %a37: tensor<256xf8E5M2>, %a38: tensor<256xf8E5M2>, %a39: tensor<325xf32>, %a40: tensor<6x40xf8E5M2>, %a41: tensor<256xf8E5M2FNUZ>, %a42: tensor<256xf8E5M2FNUZ>, %a43: tensor<325xf32>, %a44: tensor<6x40xf8E5M2FNUZ>, %a45: tensor<256xf8E8M0FNU>, %a46: tensor<256xf8E8M0FNU>, %a47: tensor<325xf32>, %a48: tensor<6x40xf8E8M0FNU>) -> (tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xf32>, tensor<40xi2>, tensor<6xi2>, tensor<6x6xi2>, tensor<40xi2>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xf32>, tensor<40xi4>, tensor<6xi4>, tensor<6x6xi4>, tensor<40xi4>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xf32>, tensor<40xui2>, tensor<6xui2>, tensor<6x6xui2>, tensor<40xui2>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xf32>, tensor<40xui4>, tensor<6xui4>, tensor<6x6xui4>, tensor<40xui4>, tensor<16xf32>, tensor<85xf4E2M1FN>, tensor<16xf4E2M1FN>, tensor<16xf4E2M1FN>, tensor<6x6xf4E2M1FN>, tensor<6x6xf32>, tensor<40xf4E2M1FN>, tensor<256xf32>, tensor<325xf8E3M4>, tensor<256xf8E3M4>, tensor<256xf8E3M4>, tensor<6x6xf8E3M4>, tensor<6x6xf32>, tensor<40xf8E3M4>, tensor<256xf32>, tensor<325xf8E4M3>, tensor<256xf8E4M3>, tensor<256xf8E4M3>, tensor<6x6xf8E4M3>, tensor<6x6xf32>, tensor<40xf8E4M3>, tensor<256xf32>, tensor<325xf8E4M3B11FNUZ>, tensor<256xf8E4M3B11FNUZ>, tensor<256xf8E4M3B11FNUZ>, tensor<6x6xf8E4M3B11FNUZ>, tensor<6x6xf32>, tensor<40xf8E4M3B11FNUZ>, tensor<256xf32>, tensor<325xf8E4M3FN>, tensor<256xf8E4M3FN>, tensor<256xf8E4M3FN>, tensor<6x6xf8E4M3FN>, tensor<6x6xf32>, tensor<40xf8E4M3FN>, tensor<256xf32>, tensor<325xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>, tensor<6x6xf8E4M3FNUZ>, tensor<6x6xf32>, tensor<40xf8E4M3FNUZ>, tensor<256xf32>, tensor<325xf8E5M2>, tensor<256xf8E5M2>, tensor<256xf8E5M2>, tensor<6x6xf8E5M2>, tensor<6x6xf32>, tensor<40xf8E5M2>, tensor<256xf32>, tensor<325xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>, tensor<6x6xf8E5M2FNUZ>, tensor<6x6xf32>, tensor<40xf8E5M2FNUZ>, tensor<256xf32>, tensor<325xf8E8M0FNU>, tensor<256xf8E8M0FNU>, tensor<256xf8E8M0FNU>, tensor<6x6xf8E8M0FNU>, tensor<6x6xf32>) {
    %zero_i2 = stablehlo.constant dense<0> : tensor<i2>
    %r0 = stablehlo.add %a1, %a2 : (tensor<6x40xi2>, tensor<6x40xi2>) -> tensor<6x40xi2>
    %r1 = stablehlo.multiply %a1, %a2 : (tensor<6x40xi2>, tensor<6x40xi2>) -> tensor<6x40xi2>
    %r2 = stablehlo.maximum %a1, %a2 : (tensor<6x40xi2>, tensor<6x40xi2>) -> tensor<6x40xi2>
    %r3 = stablehlo.not %a1 : (tensor<6x40xi2>) -> tensor<6x40xi2>
    %r4 = stablehlo.popcnt %a1 : (tensor<6x40xi2>) -> tensor<6x40xi2>
    %r5 = stablehlo.convert %a1 : (tensor<6x40xi2>) -> tensor<6x40xf32>
    %r6 = stablehlo.convert %a3 : (tensor<40xf32>) -> tensor<40xi2>
    %r7 = stablehlo.reduce(%a1 init: %zero_i2) applies stablehlo.add across dimensions = [1] : (tensor<6x40xi2>, tensor<i2>) -> tensor<6xi2>
    %r8 = stablehlo.dot_general %a1, %a2, contracting_dims = [1] x [1] : (tensor<6x40xi2>, tensor<6x40xi2>) -> tensor<6x6xi2>
    %r9 = "mr.reduce_sum"(%a1) {placement = "parts"} : (tensor<6x40xi2>) -> tensor<40xi2>
    %zero_i4 = stablehlo.constant dense<0> : tensor<i4>
    %r10 = stablehlo.add %a4, %a5 : (tensor<6x40xi4>, tensor<6x40xi4>) -> tensor<6x40xi4>
    %r11 = stablehlo.multiply %a4, %a5 : (tensor<6x40xi4>, tensor<6x40xi4>) -> tensor<6x40xi4>
    %r12 = stablehlo.maximum %a4, %a5 : (tensor<6x40xi4>, tensor<6x40xi4>) -> tensor<6x40xi4>
    %r13 = stablehlo.not %a4 : (tensor<6x40xi4>) -> tensor<6x40xi4>
    %r14 = stablehlo.popcnt %a4 : (tensor<6x40xi4>) -> tensor<6x40xi4>
    %r15 = stablehlo.convert %a4 : (tensor<6x40xi4>) -> tensor<6x40xf32>
    %r16 = stablehlo.convert %a6 : (tensor<40xf32>) -> tensor<40xi4>
    %r17 = stablehlo.reduce(%a4 init: %zero_i4) applies stablehlo.add across dimensions = [1] : (tensor<6x40xi4>, tensor<i4>) -> tensor<6xi4>
    %r18 = stablehlo.dot_general %a4, %a5, contracting_dims = [1] x [1] : (tensor<6x40xi4>, tensor<6x40xi4>) -> tensor<6x6xi4>
    %r19 = "mr.reduce_sum"(%a4) {placement = "parts"} : (tensor<6x40xi4>) -> tensor<40xi4>
    %zero_ui2 = stablehlo.constant dense<0> : tensor<ui2>
    %r20 = stablehlo.add %a7, %a8 : (tensor<6x40xui2>, tensor<6x40xui2>) -> tensor<6x40xui2>
    %r21 = stablehlo.multiply %a7, %a8 : (tensor<6x40xui2>, tensor<6x40xui2>) -> tensor<6x40xui2>
    %r22 = stablehlo.maximum %a7, %a8 : (tensor<6x40xui2>, tensor<6x40xui2>) -> tensor<6x40xui2>
    %r23 = stablehlo.not %a7 : (tensor<6x40xui2>) -> tensor<6x40xui2>
    %r24 = stablehlo.popcnt %a7 : (tensor<6x40xui2>) -> tensor<6x40xui2>
    %r25 = stablehlo.convert %a7 : (tensor<6x40xui2>) -> tensor<6x40xf32>
    %r26 = stablehlo.convert %a9 : (tensor<40xf32>) -> tensor<40xui2>
    %r27 = stablehlo.reduce(%a7 init: %zero_ui2) applies stablehlo.add across dimensions = [1] : (tensor<6x40xui2>, tensor<ui2>) -> tensor<6xui2>
    %r28 = stablehlo.dot_general %a7, %a8, contracting_dims = [1] x [1] : (tensor<6x40xui2>, tensor<6x40xui2>) -> tensor<6x6xui2>
    %r29 = "mr.reduce_sum"(%a7) {placement = "parts"} : (tensor<6x40xui2>) -> tensor<40xui2>
    %zero_ui4 = stablehlo.constant dense<0> : tensor<ui4>
    %r30 = stablehlo.add %a10, %a11 : (tensor<6x40xui4>, tensor<6x40xui4>) -> tensor<6x40xui4>
    %r31 = stablehlo.multiply %a10, %a11 : (tensor<6x40xui4>, tensor<6x40xui4>) -> tensor<6x40xui4>
    %r32 = stablehlo.maximum %a10, %a11 : (tensor<6x40xui4>, tensor<6x40xui4>) -> tensor<6x40xui4>
    %r33 = stablehlo.not %a10 : (tensor<6x40xui4>) -> tensor<6x40xui4>
    %r34 = stablehlo.popcnt %a10 : (tensor<6x40xui4>) -> tensor<6x40xui4>
    %r35 = stablehlo.convert %a10 : (tensor<6x40xui4>) -> tensor<6x40xf32>
    %r36 = stablehlo.convert %a12 : (tensor<40xf32>) -> tensor<40xui4>
    %r37 = stablehlo.reduce(%a10 init: %zero_ui4) applies stablehlo.add across dimensions = [1] : (tensor<6x40xui4>, tensor<ui4>) -> tensor<6xui4>
    %r38 = stablehlo.dot_general %a10, %a11, contracting_dims = [1] x [1] : (tensor<6x40xui4>, tensor<6x40xui4>) -> tensor<6x6xui4>
    %r39 = "mr.reduce_sum"(%a10) {placement = "parts"} : (tensor<6x40xui4>) -> tensor<40xui4>
    %r40 = stablehlo.convert %a13 : (tensor<16xf4E2M1FN>) -> tensor<16xf32>
    %r41 = stablehlo.convert %a15 : (tensor<85xf32>) -> tensor<85xf4E2M1FN>
    %r42 = stablehlo.add %a13, %a14 : (tensor<16xf4E2M1FN>, tensor<16xf4E2M1FN>) -> tensor<16xf4E2M1FN>
    %r43 = stablehlo.multiply %a13, %a14 : (tensor<16xf4E2M1FN>, tensor<16xf4E2M1FN>) -> tensor<16xf4E2M1FN>
    %r44 = stablehlo.dot_general %a16, %a16, contracting_dims = [1] x [1] : (tensor<6x40xf4E2M1FN>, tensor<6x40xf4E2M1FN>) -> tensor<6x6xf4E2M1FN>
    %r45 = stablehlo.dot_general %a16, %a16, contracting_dims = [1] x [1] : (tensor<6x40xf4E2M1FN>, tensor<6x40xf4E2M1FN>) -> tensor<6x6xf32>
    %r46 = "mr.reduce_sum"(%a16) {placement = "parts"} : (tensor<6x40xf4E2M1FN>) -> tensor<40xf4E2M1FN>
    %r47 = stablehlo.convert %a17 : (tensor<256xf8E3M4>) -> tensor<256xf32>
    %r48 = stablehlo.convert %a19 : (tensor<325xf32>) -> tensor<325xf8E3M4>
    %r49 = stablehlo.add %a17, %a18 : (tensor<256xf8E3M4>, tensor<256xf8E3M4>) -> tensor<256xf8E3M4>
    %r50 = stablehlo.multiply %a17, %a18 : (tensor<256xf8E3M4>, tensor<256xf8E3M4>) -> tensor<256xf8E3M4>
    %r51 = stablehlo.dot_general %a20, %a20, contracting_dims = [1] x [1] : (tensor<6x40xf8E3M4>, tensor<6x40xf8E3M4>) -> tensor<6x6xf8E3M4>
    %r52 = stablehlo.dot_general %a20, %a20, contracting_dims = [1] x [1] : (tensor<6x40xf8E3M4>, tensor<6x40xf8E3M4>) -> tensor<6x6xf32>
    %r53 = "mr.reduce_sum"(%a20) {placement = "parts"} : (tensor<6x40xf8E3M4>) -> tensor<40xf8E3M4>
    %r54 = stablehlo.convert %a21 : (tensor<256xf8E4M3>) -> tensor<256xf32>
    %r55 = stablehlo.convert %a23 : (tensor<325xf32>) -> tensor<325xf8E4M3>
    %r56 = stablehlo.add %a21, %a22 : (tensor<256xf8E4M3>, tensor<256xf8E4M3>) -> tensor<256xf8E4M3>
    %r57 = stablehlo.multiply %a21, %a22 : (tensor<256xf8E4M3>, tensor<256xf8E4M3>) -> tensor<256xf8E4M3>
    %r58 = stablehlo.dot_general %a24, %a24, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3>, tensor<6x40xf8E4M3>) -> tensor<6x6xf8E4M3>
    %r59 = stablehlo.dot_general %a24, %a24, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3>, tensor<6x40xf8E4M3>) -> tensor<6x6xf32>
    %r60 = "mr.reduce_sum"(%a24) {placement = "parts"} : (tensor<6x40xf8E4M3>) -> tensor<40xf8E4M3>
    %r61 = stablehlo.convert %a25 : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xf32>
    %r62 = stablehlo.convert %a27 : (tensor<325xf32>) -> tensor<325xf8E4M3B11FNUZ>
    %r63 = stablehlo.add %a25, %a26 : (tensor<256xf8E4M3B11FNUZ>, tensor<256xf8E4M3B11FNUZ>) -> tensor<256xf8E4M3B11FNUZ>
    %r64 = stablehlo.multiply %a25, %a26 : (tensor<256xf8E4M3B11FNUZ>, tensor<256xf8E4M3B11FNUZ>) -> tensor<256xf8E4M3B11FNUZ>
    %r65 = stablehlo.dot_general %a28, %a28, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3B11FNUZ>, tensor<6x40xf8E4M3B11FNUZ>) -> tensor<6x6xf8E4M3B11FNUZ>
    %r66 = stablehlo.dot_general %a28, %a28, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3B11FNUZ>, tensor<6x40xf8E4M3B11FNUZ>) -> tensor<6x6xf32>
    %r67 = "mr.reduce_sum"(%a28) {placement = "parts"} : (tensor<6x40xf8E4M3B11FNUZ>) -> tensor<40xf8E4M3B11FNUZ>
    %r68 = stablehlo.convert %a29 : (tensor<256xf8E4M3FN>) -> tensor<256xf32>
    %r69 = stablehlo.convert %a31 : (tensor<325xf32>) -> tensor<325xf8E4M3FN>
    %r70 = stablehlo.add %a29, %a30 : (tensor<256xf8E4M3FN>, tensor<256xf8E4M3FN>) -> tensor<256xf8E4M3FN>
    %r71 = stablehlo.multiply %a29, %a30 : (tensor<256xf8E4M3FN>, tensor<256xf8E4M3FN>) -> tensor<256xf8E4M3FN>
    %r72 = stablehlo.dot_general %a32, %a32, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3FN>, tensor<6x40xf8E4M3FN>) -> tensor<6x6xf8E4M3FN>
    %r73 = stablehlo.dot_general %a32, %a32, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3FN>, tensor<6x40xf8E4M3FN>) -> tensor<6x6xf32>
    %r74 = "mr.reduce_sum"(%a32) {placement = "parts"} : (tensor<6x40xf8E4M3FN>) -> tensor<40xf8E4M3FN>
    %r75 = stablehlo.convert %a33 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xf32>
    %r76 = stablehlo.convert %a35 : (tensor<325xf32>) -> tensor<325xf8E4M3FNUZ>
    %r77 = stablehlo.add %a33, %a34 : (tensor<256xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>) -> tensor<256xf8E4M3FNUZ>
    %r78 = stablehlo.multiply %a33, %a34 : (tensor<256xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>) -> tensor<256xf8E4M3FNUZ>
    %r79 = stablehlo.dot_general %a36, %a36, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3FNUZ>, tensor<6x40xf8E4M3FNUZ>) -> tensor<6x6xf8E4M3FNUZ>
    %r80 = stablehlo.dot_general %a36, %a36, contracting_dims = [1] x [1] : (tensor<6x40xf8E4M3FNUZ>, tensor<6x40xf8E4M3FNUZ>) -> tensor<6x6xf32>
    %r81 = "mr.reduce_sum"(%a36) {placement = "parts"} : (tensor<6x40xf8E4M3FNUZ>) -> tensor<40xf8E4M3FNUZ>
    %r82 = stablehlo.convert %a37 : (tensor<256xf8E5M2>) -> tensor<256xf32>
    %r83 = stablehlo.convert %a39 : (tensor<325xf32>) -> tensor<325xf8E5M2>
    %r84 = stablehlo.add %a37, %a38 : (tensor<256xf8E5M2>, tensor<256xf8E5M2>) -> tensor<256xf8E5M2>
    %r85 = stablehlo.multiply %a37, %a38 : (tensor<256xf8E5M2>, tensor<256xf8E5M2>) -> tensor<256xf8E5M2>
    %r86 = stablehlo.dot_general %a40, %a40, contracting_dims = [1] x [1] : (tensor<6x40xf8E5M2>, tensor<6x40xf8E5M2>) -> tensor<6x6xf8E5M2>
    %r87 = stablehlo.dot_general %a40, %a40, contracting_dims = [1] x [1] : (tensor<6x40xf8E5M2>, tensor<6x40xf8E5M2>) -> tensor<6x6xf32>
    %r88 = "mr.reduce_sum"(%a40) {placement = "parts"} : (tensor<6x40xf8E5M2>) -> tensor<40xf8E5M2>
    %r89 = stablehlo.convert %a41 : (tensor<256xf8E5M2FNUZ>) -> tensor<256xf32>
    %r90 = stablehlo.convert %a43 : (tensor<325xf32>) -> tensor<325xf8E5M2FNUZ>
    %r91 = stablehlo.add %a41, %a42 : (tensor<256xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>) -> tensor<256xf8E5M2FNUZ>
    %r92 = stablehlo.multiply %a41, %a42 : (tensor<256xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>) -> tensor<256xf8E5M2FNUZ>
    %r93 = stablehlo.dot_general %a44, %a44, contracting_dims = [1] x [1] : (tensor<6x40xf8E5M2FNUZ>, tensor<6x40xf8E5M2FNUZ>) -> tensor<6x6xf8E5M2FNUZ>
    %r94 = stablehlo.dot_general %a44, %a44, contracting_dims = [1] x [1] : (tensor<6x40xf8E5M2FNUZ>, tensor<6x40xf8E5M2FNUZ>) -> tensor<6x6xf32>
    %r95 = "mr.reduce_sum"(%a44) {placement = "parts"} : (tensor<6x40xf8E5M2FNUZ>) -> tensor<40xf8E5M2FNUZ>
    %r96 = stablehlo.convert %a45 : (tensor<256xf8E8M0FNU>) -> tensor<256xf32>
    %r97 = stablehlo.convert %a47 : (tensor<325xf32>) -> tensor<325xf8E8M0FNU>
    %r98 = stablehlo.add %a45, %a46 : (tensor<256xf8E8M0FNU>, tensor<256xf8E8M0FNU>) -> tensor<256xf8E8M0FNU>
    %r99 = stablehlo.multiply %a45, %a46 : (tensor<256xf8E8M0FNU>, tensor<256xf8E8M0FNU>) -> tensor<256xf8E8M0FNU>
    %r100 = stablehlo.dot_general %a48, %a48, contracting_dims = [1] x [1] : (tensor<6x40xf8E8M0FNU>, tensor<6x40xf8E8M0FNU>) -> tensor<6x6xf8E8M0FNU>
    %r101 = stablehlo.dot_general %a48, %a48, contracting_dims = [1] x [1] : (tensor<6x40xf8E8M0FNU>, tensor<6x40xf8E8M0FNU>) -> tensor<6x6xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47, %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55, %r56, %r57, %r58, %r59, %r60, %r61, %r62, %r63, %r64, %r65, %r66, %r67, %r68, %r69, %r70, %r71, %r72, %r73, %r74, %r75, %r76, %r77, %r78, %r79, %r80, %r81, %r82, %r83, %r84, %r85, %r86, %r87, %r88, %r89, %r90, %r91, %r92, %r93, %r94, %r95, %r96, %r97, %r98, %r99, %r100, %r101 : tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xi2>, tensor<6x40xf32>, tensor<40xi2>, tensor<6xi2>, tensor<6x6xi2>, tensor<40xi2>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xi4>, tensor<6x40xf32>, tensor<40xi4>, tensor<6xi4>, tensor<6x6xi4>, tensor<40xi4>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xui2>, tensor<6x40xf32>, tensor<40xui2>, tensor<6xui2>, tensor<6x6xui2>, tensor<40xui2>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xui4>, tensor<6x40xf32>, tensor<40xui4>, tensor<6xui4>, tensor<6x6xui4>, tensor<40xui4>, tensor<16xf32>, tensor<85xf4E2M1FN>, tensor<16xf4E2M1FN>, tensor<16xf4E2M1FN>, tensor<6x6xf4E2M1FN>, tensor<6x6xf32>, tensor<40xf4E2M1FN>, tensor<256xf32>, tensor<325xf8E3M4>, tensor<256xf8E3M4>, tensor<256xf8E3M4>, tensor<6x6xf8E3M4>, tensor<6x6xf32>, tensor<40xf8E3M4>, tensor<256xf32>, tensor<325xf8E4M3>, tensor<256xf8E4M3>, tensor<256xf8E4M3>, tensor<6x6xf8E4M3>, tensor<6x6xf32>, tensor<40xf8E4M3>, tensor<256xf32>, tensor<325xf8E4M3B11FNUZ>, tensor<256xf8E4M3B11FNUZ>, tensor<256xf8E4M3B11FNUZ>, tensor<6x6xf8E4M3B11FNUZ>, tensor<6x6xf32>, tensor<40xf8E4M3B11FNUZ>, tensor<256xf32>, tensor<325xf8E4M3FN>, tensor<256xf8E4M3FN>, tensor<256xf8E4M3FN>, tensor<6x6xf8E4M3FN>, tensor<6x6xf32>, tensor<40xf8E4M3FN>, tensor<256xf32>, tensor<325xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ>, tensor<6x6xf8E4M3FNUZ>, tensor<6x6xf32>, tensor<40xf8E4M3FNUZ>, tensor<256xf32>, tensor<325xf8E5M2>, tensor<256xf8E5M2>, tensor<256xf8E5M2>, tensor<6x6xf8E5M2>, tensor<6x6xf32>, tensor<40xf8E5M2>, tensor<256xf32>, tensor<325xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>, tensor<256xf8E5M2FNUZ>, tensor<6x6xf8E5M2FNUZ>, tensor<6x6xf32>, tensor<40xf8E5M2FNUZ>, tensor<256xf32>, tensor<325xf8E8M0FNU>, tensor<256xf8E8M0FNU>, tensor<256xf8E8M0FNU>, tensor<6x6xf8E8M0FNU>, tensor<6x6xf32>
  }
}
