# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Keras applications on its JAX backend: inference, and a training step (moving averages and dropout included)."""

from .common import cross_entropy, integers, normal
from .registry import add


def model_of(build, shape):
    import keras

    keras.utils.set_random_seed(0)
    keras.backend.clear_session()
    model = build(keras, shape)
    model.build((None, *shape))
    return model, [v.value for v in model.trainable_variables], [v.value for v in model.non_trainable_variables]


def forward(build, shape, batch):
    def make():
        model, weights, state = model_of(build, shape)
        return lambda w, s, x: model.stateless_call(w, s, x, training=False)[0], (weights, state, normal(batch, *shape))

    return make


def step(build, shape, batch):
    def make():
        import jax

        model, weights, state = model_of(build, shape)

        def loss(w, s, x, y):
            logits, s = model.stateless_call(w, s, x, training=True)
            return cross_entropy(logits, y), s

        def train(w, s, x, y):
            (value, s), gradient = jax.value_and_grad(loss, has_aux=True)(w, s, x, y)
            return value, [a - 0.01 * b for a, b in zip(w, gradient)], s

        return train, (weights, state, normal(batch, *shape), integers(10, batch))

    return make


def application(name, **options):
    def build(keras, shape):
        make = getattr(keras.applications, name)
        return make(weights=None, input_shape=shape, classes=10, classifier_activation=None, **options)

    return build


def pooled(name):
    def build(keras, shape):
        body = getattr(keras.applications, name)(weights=None, input_shape=shape, include_top=False, pooling="avg")
        return keras.Sequential([body, keras.layers.Dense(10)])

    return build


# name: (application, side, batch of inference, batch of training)
APPLICATIONS = {
    "resnet50": (application("ResNet50"), 64, 2, 4),
    "resnet50_v2": (application("ResNet50V2"), 64, 2, 4),
    "mobilenet": (application("MobileNet"), 64, 2, 4),
    "mobilenet_v2": (application("MobileNetV2"), 64, 2, 4),
    "mobilenet_v3": (application("MobileNetV3Small"), 64, 2, 4),
    "efficientnet_b0": (application("EfficientNetB0"), 64, 2, 4),
    "efficientnet_v2_b0": (application("EfficientNetV2B0"), 64, 2, 4),
    "densenet121": (application("DenseNet121"), 64, 2, 4),
    "convnext_tiny": (application("ConvNeXtTiny"), 32, 1, 2),
    "vgg16": (pooled("VGG16"), 32, 2, 4),
    "xception": (application("Xception"), 71, 1, 2),
    "inception_v3": (application("InceptionV3"), 75, 1, 2),
    "nasnet_mobile": (application("NASNetMobile"), 32, 2, 2),
}
for name, (build, side, few, many) in APPLICATIONS.items():
    add(f"keras_{name}", "vision", "keras", forward(build, (side, side, 3), few))
    add(f"keras_{name}_step", "vision", "keras", step(build, (side, side, 3), many))

add("keras_resnet50_224", "vision", "keras", forward(application("ResNet50"), (224, 224, 3), 1), large=True)


def unet(keras, shape):
    layers = keras.layers
    x = first = keras.Input(shape)
    kept = []
    for width in (16, 32, 64):
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = layers.BatchNormalization()(x)
        kept.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(128, 3, padding="same", activation="gelu")(x)
    for width, old in zip((64, 32, 16), reversed(kept)):
        x = layers.Conv2DTranspose(width, 3, strides=2, padding="same")(x)
        x = layers.Concatenate()([x, old])
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = layers.GroupNormalization(8)(x)
    return keras.Model(first, layers.Dense(10)(layers.GlobalAveragePooling2D()(layers.Conv2D(10, 1)(x))))


def video(keras, shape):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input(shape),
            layers.Conv3D(8, 3, activation="relu", padding="same"),
            layers.MaxPooling3D(2),
            layers.ConvLSTM2D(8, 3, padding="same"),
            layers.SeparableConv2D(16, 3),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


def recurrent(keras, shape):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input(shape),
            layers.Bidirectional(layers.LSTM(32, return_sequences=True)),
            layers.GRU(32, return_sequences=True),
            layers.Dropout(0.2),
            layers.SimpleRNN(32),
            layers.Dense(10),
        ]
    )


def wavenet(keras, shape):
    layers = keras.layers
    x = first = keras.Input(shape)
    skip = []
    for k in range(6):
        gate = layers.Conv1D(32, 2, dilation_rate=2**k, padding="causal", activation="tanh")(x)
        gate = layers.Multiply()(
            [gate, layers.Conv1D(32, 2, dilation_rate=2**k, padding="causal", activation="sigmoid")(x)]
        )
        out = layers.Conv1D(32, 1)(gate)
        skip.append(out)
        x = layers.Add()([layers.Conv1D(32, 1)(x), out])
    return keras.Model(first, layers.Dense(10)(layers.GlobalMaxPooling1D()(layers.ReLU()(layers.Add()(skip)))))


for name, build, shape, family in (
    ("unet", unet, (64, 64, 3), "vision"),
    ("video", video, (8, 24, 24, 3), "vision"),
    ("recurrent", recurrent, (40, 16), "language"),
    ("wavenet", wavenet, (256, 8), "speech"),
):
    add(f"keras_{name}", family, "keras", forward(build, shape, 4))
    add(f"keras_{name}_step", family, "keras", step(build, shape, 4))
