#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Times inference of Keras' applications beside OpenVINO's CPU plugin, by turns.

    benchmarks/zoo/against_openvino.py [--only REGEX] [--turns 7] [--json FILE] [--partita PARTITA]

Both get the same model with the same weights as constants: OpenVINO from Keras on TensorFlow, by `openvino.convert_model`,
in f32 on all cores; partita as what JAX exports of Keras on JAX. The ratio is OpenVINO's median over ours: above 1, ours is
faster. `apart` is the largest difference of results as a part of the largest value. Needs the zoo's environment with
`pip install openvino tensorflow-cpu`.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "programs"))

SECONDS_PER_TURN = 1.0


def cases():
    """(builder, side of the image, batch) by name."""
    from programs.vision_keras import APPLICATIONS, application

    large = {"resnet50_224": (application("ResNet50"), 224, 1), "mobilenet_v2_224": (application("MobileNetV2"), 224, 1),
             "efficientnet_b0_224": (application("EfficientNetB0"), 224, 1)}
    return {name: (build, side, few) for name, (build, side, few, _) in APPLICATIONS.items()} | large


def convert(name, folder):
    """In a process whose Keras is on TensorFlow: OpenVINO's model, and the weights."""
    import keras
    import numpy as np
    import openvino

    build, side, batch = cases()[name]
    keras.utils.set_random_seed(0)
    model = build(keras, (side, side, 3))
    model.build((None, side, side, 3))
    np.savez(folder / "weights.npz", *model.get_weights())
    converted = openvino.convert_model(model, input=[batch, side, side, 3])
    openvino.save_model(converted, folder / "model.xml", compress_to_fp16=False)


class OpenVino:
    def __init__(self, folder, data):
        import openvino

        hints = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
        self.program = openvino.Core().compile_model(folder / "model.xml", "CPU", hints)
        self.request = self.program.create_infer_request()
        self.request.infer([data])

    def outputs(self):
        return [self.request.get_output_tensor(k).data.copy() for k in range(len(self.program.outputs))]

    def seconds(self, repeats):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            self.request.infer()
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def measure(name, options, folder):
    import jax
    import jax.export
    import numpy as np
    from against_xla import Ours, departs
    from programs.common import normal
    from programs.vision_keras import model_of

    child = subprocess.run([sys.executable, __file__, "--convert", name, str(folder)], capture_output=True, text=True,
                           env=os.environ | {"KERAS_BACKEND": "tensorflow"})
    if child.returncode != 0:
        raise RuntimeError(child.stderr.strip().splitlines()[-1])
    build, side, batch = cases()[name]
    with jax.enable_x64(False):
        model, _, _ = model_of(build, (side, side, 3))
        with np.load(folder / "weights.npz") as file:
            model.set_weights([file[k] for k in file.files])
        weights, state = ([v.value for v in some] for some in (model.trainable_variables, model.non_trainable_variables))
        data = np.asarray(normal(batch, side, side, 3), np.float32)
        function = jax.jit(lambda x: model.stateless_call(weights, state, x, training=False)[0])
        text = jax.export.export(function, platforms=["cpu"])(data).mlir_module_serialized
        ours = Ours(options.partita, folder, bytes(text), [data], ["--target", "cpu"])
    theirs = OpenVino(folder, data)
    difference = departs(ours.outputs(), theirs.outputs())
    count = lambda s: int(min(max(SECONDS_PER_TURN / max(s, 1e-9), 3), 2000))  # noqa: E731
    sides = [lambda repeats: ours.run(max(repeats, 2))["median_s"], theirs.seconds]
    repeats = [count(seconds(3)) for seconds in sides]
    pairs = []
    for turn in range(options.turns):
        taken = {k: sides[k](repeats[k]) for k in ((0, 1) if turn % 2 == 0 else (1, 0))}
        pairs.append((taken[0], taken[1]))
    ratios = sorted(b / a for a, b in pairs)
    return {"ratio": statistics.median(ratios), "low": ratios[0], "high": ratios[-1], "apart": difference,
            "ours_s": statistics.median(a for a, _ in pairs), "openvino_s": statistics.median(b for _, b in pairs)}


def main():
    if sys.argv[1:2] == ["--convert"]:
        return convert(sys.argv[2], pathlib.Path(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="regular expression that names match")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path)
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    parser.add_argument("--partita", default=str(root / "build/release/bin/partita"))
    options = parser.parse_args()
    os.environ["KERAS_BACKEND"] = "jax"
    rows = {}
    for name in cases():
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = rows[name] = measure(name, options, pathlib.Path(folder))
        print(f"{name}: OpenVINO {row['openvino_s'] * 1e3:.3g} ms, ours {row['ours_s'] * 1e3:.3g} ms, ratio "
              f"{row['ratio']:.2f} [{row['low']:.2f}, {row['high']:.2f}], apart {row['apart']:.1e}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
