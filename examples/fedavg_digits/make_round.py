#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Prints one round of federated averaging of an MLP 64-64-10 as StableHLO text with the `mr` dialect.

round.mlir is the output for 64 clients; the number of clients is part of many types, so another number comes from here
and not from a text substitution. Standard library only.
"""

import argparse

FEATURES, HIDDEN, CLASSES = 64, 64, 10


def tensor(*shape_and_dtype):
    return "tensor<" + "x".join(str(part) for part in shape_and_dtype) + ">"


def round_text(clients, steps, batch, rate):
    f, h, c, b, s, n = FEATURES, HIDDEN, CLASSES, batch, steps, clients
    scalar, index = tensor("f32"), tensor("i32")
    rows, rows_i = tensor(b, "f32"), tensor(b, "i32")
    hidden, scores = tensor(b, h, "f32"), tensor(b, c, "f32")
    parameters = {"w1": (f, h), "b1": (h,), "w2": (h, c), "b2": (c,)}
    plain = {k: tensor(*shape, "f32") for k, shape in parameters.items()}
    placed = {k: tensor(n, *shape, "f32") for k, shape in parameters.items()}
    share = {"x": (s, b, f, "f32"), "y": (s, b, "i32"), "mask": (s, b, "f32")}
    local = {k: tensor(*shape) for k, shape in share.items()}
    shares = {k: tensor(n, *shape) for k, shape in share.items()}
    names = list(parameters)

    def arguments(types, prefix=""):
        return ", ".join(f"%{prefix}{k}: {t}" for k, t in types.items())

    def values(prefix):
        return ", ".join(f"%{prefix}{k}" for k in names)

    broadcasts = "\n".join(
        f'    %all_{k} = "mr.broadcast"(%{k}) {{placement = "clients"}} : ({plain[k]}) -> {placed[k]}' for k in names
    )
    state_types = ", ".join([index, *plain.values(), scalar])
    steps_taken = ", ".join(f"%now_{k} = %start_{k}" for k in names)
    update = "\n".join(
        f"""        %rate_{k} = stablehlo.broadcast_in_dim %rate, dims = [] : ({scalar}) -> {plain[k]}
        %step_{k} = stablehlo.multiply %rate_{k}, %g_{k} : {plain[k]}
        %next_{k} = stablehlo.subtract %now_{k}, %step_{k} : {plain[k]}"""
        for k in names
    )
    deltas = "\n".join(
        f"      %delta_{k} = stablehlo.subtract %end#{i + 1}, %start_{k} : {plain[k]}" for i, k in enumerate(names)
    )
    server = "\n".join(
        f"    %new_{k} = stablehlo.add %{k}, %mean#{i} : {plain[k]}" for i, k in enumerate(names)
    )
    map_in = ", ".join([*placed.values(), *shares.values()])
    map_out = ", ".join([*placed.values(), tensor(n, "f32")])
    results = ", ".join([*plain.values(), scalar])
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One round of federated averaging of an MLP {f}-{h}-{c} over {n} clients, printed by make_round.py.
// Every client starts from the server's parameters, takes {s} steps of SGD (rate {rate:g}) over {b} examples each of its own
// share, and sends back the change; the server adds the mean of the changes, weighted by `weight`, the clients' example
// counts. `mask` is 1 for an example and 0 for padding; a step that is all padding changes nothing.
// The last result is the mean training loss met on the way, weighted in the same way.
module @fedavg_digits attributes {{mr.placements = {{clients = {n}}}}} {{
  func.func public @main({arguments(plain)}, {arguments(shares)}, %weight: {tensor(n, "f32")}) -> ({results}) {{
{broadcasts}
    %sent:5 = "mr.map"({values("all_")}, %x, %y, %mask) ({{
    ^bb0({arguments(plain, "start_")}, {arguments(local, "own_")}):
      %first = stablehlo.constant dense<0> : {index}
      %zero = stablehlo.constant dense<0.000000e+00> : {scalar}
      %one = stablehlo.constant dense<1.000000e+00> : {scalar}
      %end:6 = stablehlo.while(%step = %first, {steps_taken}, %now_loss = %zero) : {state_types}
      cond {{
        %steps = stablehlo.constant dense<{s}> : {index}
        %more = stablehlo.compare LT, %step, %steps, SIGNED : ({index}, {index}) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        // This step's examples.
        %origin = stablehlo.constant dense<0> : {index}
        %slice_x = stablehlo.dynamic_slice %own_x, %step, %origin, %origin, sizes = [1, {b}, {f}] : ({local["x"]}, {index}, {index}, {index}) -> {tensor(1, b, f, "f32")}
        %step_x = stablehlo.reshape %slice_x : ({tensor(1, b, f, "f32")}) -> {tensor(b, f, "f32")}
        %slice_y = stablehlo.dynamic_slice %own_y, %step, %origin, sizes = [1, {b}] : ({local["y"]}, {index}, {index}) -> {tensor(1, b, "i32")}
        %step_y = stablehlo.reshape %slice_y : ({tensor(1, b, "i32")}) -> {rows_i}
        %slice_mask = stablehlo.dynamic_slice %own_mask, %step, %origin, sizes = [1, {b}] : ({local["mask"]}, {index}, {index}) -> {tensor(1, b, "f32")}
        %step_mask = stablehlo.reshape %slice_mask : ({tensor(1, b, "f32")}) -> {rows}
        %labels = stablehlo.broadcast_in_dim %step_y, dims = [0] : ({rows_i}) -> {tensor(b, c, "i32")}
        %classes = stablehlo.iota dim = 1 : {tensor(b, c, "i32")}
        %is_label = stablehlo.compare EQ, %labels, %classes, SIGNED : ({tensor(b, c, "i32")}, {tensor(b, c, "i32")}) -> {tensor(b, c, "i1")}
        %target = stablehlo.convert %is_label : ({tensor(b, c, "i1")}) -> {scores}
        // Forward.
        %x_w1 = stablehlo.dot_general %step_x, %now_w1, contracting_dims = [1] x [0] : ({tensor(b, f, "f32")}, {plain["w1"]}) -> {hidden}
        %rows_b1 = stablehlo.broadcast_in_dim %now_b1, dims = [1] : ({plain["b1"]}) -> {hidden}
        %before = stablehlo.add %x_w1, %rows_b1 : {hidden}
        %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : ({scalar}) -> {hidden}
        %hidden = stablehlo.maximum %before, %zeros : {hidden}
        %h_w2 = stablehlo.dot_general %hidden, %now_w2, contracting_dims = [1] x [0] : ({hidden}, {plain["w2"]}) -> {scores}
        %rows_b2 = stablehlo.broadcast_in_dim %now_b2, dims = [1] : ({plain["b2"]}) -> {scores}
        %scores = stablehlo.add %h_w2, %rows_b2 : {scores}
        // Softmax and cross entropy.
        %lowest = stablehlo.constant dense<0xFF800000> : {scalar}
        %top = stablehlo.reduce(%scores init: %lowest) applies stablehlo.maximum across dimensions = [1] : ({scores}, {scalar}) -> {rows}
        %tops = stablehlo.broadcast_in_dim %top, dims = [0] : ({rows}) -> {scores}
        %shifted = stablehlo.subtract %scores, %tops : {scores}
        %exps = stablehlo.exponential %shifted : {scores}
        %total = stablehlo.reduce(%exps init: %zero) applies stablehlo.add across dimensions = [1] : ({scores}, {scalar}) -> {rows}
        %totals = stablehlo.broadcast_in_dim %total, dims = [0] : ({rows}) -> {scores}
        %probability = stablehlo.divide %exps, %totals : {scores}
        %log_total = stablehlo.log %total : {rows}
        %picked = stablehlo.multiply %target, %shifted : {scores}
        %label_score = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [1] : ({scores}, {scalar}) -> {rows}
        %entropy = stablehlo.subtract %log_total, %label_score : {rows}
        %masked = stablehlo.multiply %entropy, %step_mask : {rows}
        %step_loss = stablehlo.reduce(%masked init: %zero) applies stablehlo.add across dimensions = [0] : ({rows}, {scalar}) -> {scalar}
        %next_loss = stablehlo.add %now_loss, %step_loss : {scalar}
        // Gradients of the mean over this step's examples.
        %present = stablehlo.reduce(%step_mask init: %zero) applies stablehlo.add across dimensions = [0] : ({rows}, {scalar}) -> {scalar}
        %divisor = stablehlo.maximum %present, %one : {scalar}
        %divisors = stablehlo.broadcast_in_dim %divisor, dims = [] : ({scalar}) -> {rows}
        %factor = stablehlo.divide %step_mask, %divisors : {rows}
        %factors = stablehlo.broadcast_in_dim %factor, dims = [0] : ({rows}) -> {scores}
        %error = stablehlo.subtract %probability, %target : {scores}
        %g_scores = stablehlo.multiply %error, %factors : {scores}
        %g_w2 = stablehlo.dot_general %hidden, %g_scores, contracting_dims = [0] x [0] : ({hidden}, {scores}) -> {plain["w2"]}
        %g_b2 = stablehlo.reduce(%g_scores init: %zero) applies stablehlo.add across dimensions = [0] : ({scores}, {scalar}) -> {plain["b2"]}
        %w2_rows = stablehlo.transpose %now_w2, dims = [1, 0] : ({plain["w2"]}) -> {tensor(c, h, "f32")}
        %g_hidden = stablehlo.dot_general %g_scores, %w2_rows, contracting_dims = [1] x [0] : ({scores}, {tensor(c, h, "f32")}) -> {hidden}
        %active = stablehlo.compare GT, %before, %zeros, FLOAT : ({hidden}, {hidden}) -> {tensor(b, h, "i1")}
        %g_before = stablehlo.select %active, %g_hidden, %zeros : {tensor(b, h, "i1")}, {hidden}
        %g_w1 = stablehlo.dot_general %step_x, %g_before, contracting_dims = [0] x [0] : ({tensor(b, f, "f32")}, {hidden}) -> {plain["w1"]}
        %g_b1 = stablehlo.reduce(%g_before init: %zero) applies stablehlo.add across dimensions = [0] : ({hidden}, {scalar}) -> {plain["b1"]}
        // Update.
        %rate = stablehlo.constant dense<{rate:e}> : {scalar}
{update}
        %increment = stablehlo.constant dense<1> : {index}
        %next = stablehlo.add %step, %increment : {index}
        stablehlo.return %next, {values("next_")}, %next_loss : {state_types}
      }}
{deltas}
      %examples = stablehlo.reduce(%own_mask init: %zero) applies stablehlo.add across dimensions = [0, 1] : ({local["mask"]}, {scalar}) -> {scalar}
      %count = stablehlo.maximum %examples, %one : {scalar}
      %loss = stablehlo.divide %end#5, %count : {scalar}
      "mr.return"({values("delta_")}, %loss) : ({results}) -> ()
    }}) {{placement = "clients", in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0>}} : ({map_in}) -> ({map_out})
    %mean:5 = "mr.reduce_weighted_mean"(%sent#0, %sent#1, %sent#2, %sent#3, %sent#4, %weight) {{placement = "clients", operand_segments = array<i64: 5, 1, 0, 0>}} : ({map_out}, {tensor(n, "f32")}) -> ({results})
{server}
    return {values("new_")}, %mean#4 : {results}
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--steps", type=int, default=8, help="local steps of a round")
    parser.add_argument("--batch", type=int, default=8, help="examples of a local step")
    parser.add_argument("--rate", type=float, default=0.5, help="the clients' learning rate")
    options = parser.parse_args()
    print(round_text(options.clients, options.steps, options.batch, options.rate), end="")


if __name__ == "__main__":
    main()
