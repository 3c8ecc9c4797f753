# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Flax models of the package transformers, weights by its initialisers: inference, and a training step with dropout."""

from .common import integers, normal, sgd
from .registry import add

VOCABULARY = 1000
SMALL = {
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "vocab_size": VOCABULARY,
}
DECODER = {"n_embd": 128, "n_layer": 2, "n_head": 4, "vocab_size": VOCABULARY, "n_positions": 128}
SEQ2SEQ = {
    "d_model": 96,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 192,
    "decoder_ffn_dim": 192,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 128,
}
LLAMA = SMALL | {"num_key_value_heads": 2, "max_position_embeddings": 128}
VIT = {
    "hidden_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 192,
    "image_size": 64,
    "patch_size": 8,
}


def tokens(batch=4, length=64):
    return {"input_ids": integers(VOCABULARY, batch, length)}


def both(batch=4, length=48):
    return {
        "input_ids": integers(VOCABULARY, batch, length),
        "decoder_input_ids": integers(VOCABULARY, batch, length // 2, seed=1),
    }


def pixels(batch=2, side=64):
    return {"pixel_values": normal(batch, 3, side, side)}


# name: (model, configuration, its values, data, family)
MODELS = {
    "bert": ("FlaxBertForMaskedLM", "BertConfig", SMALL, tokens, "language"),
    "roberta": ("FlaxRobertaForMaskedLM", "RobertaConfig", SMALL, tokens, "language"),
    "albert": ("FlaxAlbertForMaskedLM", "AlbertConfig", SMALL | {"embedding_size": 64}, tokens, "language"),
    "electra": ("FlaxElectraForMaskedLM", "ElectraConfig", SMALL | {"embedding_size": 64}, tokens, "language"),
    "distilbert": (
        "FlaxDistilBertForMaskedLM",
        "DistilBertConfig",
        {"dim": 128, "n_layers": 2, "n_heads": 4, "hidden_dim": 256, "vocab_size": VOCABULARY},
        tokens,
        "language",
    ),
    "big_bird": (
        "FlaxBigBirdForMaskedLM",
        "BigBirdConfig",
        SMALL | {"block_size": 8, "num_random_blocks": 2, "attention_type": "block_sparse"},
        lambda: tokens(2, 128),
        "language",
    ),
    "gpt2": ("FlaxGPT2LMHeadModel", "GPT2Config", DECODER, tokens, "language"),
    "gpt_neo": (
        "FlaxGPTNeoForCausalLM",
        "GPTNeoConfig",
        {
            "hidden_size": 128,
            "num_layers": 2,
            "num_heads": 4,
            "attention_types": [[["global", "local"], 1]],
            "vocab_size": VOCABULARY,
            "max_position_embeddings": 128,
            "window_size": 16,
        },
        tokens,
        "language",
    ),
    "gptj": ("FlaxGPTJForCausalLM", "GPTJConfig", DECODER | {"rotary_dim": 16}, tokens, "language"),
    "llama": ("FlaxLlamaForCausalLM", "LlamaConfig", LLAMA, tokens, "language"),
    "mistral": ("FlaxMistralForCausalLM", "MistralConfig", LLAMA | {"sliding_window": 16}, tokens, "language"),
    "gemma": ("FlaxGemmaForCausalLM", "GemmaConfig", LLAMA | {"head_dim": 32}, tokens, "language"),
    "bloom": (
        "FlaxBloomForCausalLM",
        "BloomConfig",
        {"hidden_size": 128, "n_layer": 2, "n_head": 4, "vocab_size": VOCABULARY},
        tokens,
        "language",
    ),
    "opt": (
        "FlaxOPTForCausalLM",
        "OPTConfig",
        {
            "hidden_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "ffn_dim": 256,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": 128,
            "word_embed_proj_dim": 128,
        },
        tokens,
        "language",
    ),
    "bart": ("FlaxBartForConditionalGeneration", "BartConfig", SEQ2SEQ, both, "language"),
    "pegasus": ("FlaxPegasusForConditionalGeneration", "PegasusConfig", SEQ2SEQ, both, "language"),
    "vit": ("FlaxViTForImageClassification", "ViTConfig", VIT, pixels, "vision"),
    "beit": ("FlaxBeitForImageClassification", "BeitConfig", VIT | {"vocab_size": 100}, pixels, "vision"),
    "dinov2": ("FlaxDinov2ForImageClassification", "Dinov2Config", VIT | {"mlp_ratio": 2}, pixels, "vision"),
    "resnet_hf": (
        "FlaxResNetForImageClassification",
        "ResNetConfig",
        {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [2, 2], "layer_type": "basic"},
        pixels,
        "vision",
    ),
    "regnet": (
        "FlaxRegNetForImageClassification",
        "RegNetConfig",
        {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [2, 2], "groups_width": 8},
        pixels,
        "vision",
    ),
    "whisper": (
        "FlaxWhisperForConditionalGeneration",
        "WhisperConfig",
        {
            "d_model": 96,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 4,
            "vocab_size": VOCABULARY,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 192,
            "decoder_ffn_dim": 192,
            "max_source_positions": 100,
            "max_target_positions": 64,
            "num_mel_bins": 40,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 1,
        },
        lambda: {"input_features": normal(2, 40, 200), "decoder_input_ids": integers(VOCABULARY, 2, 24)},
        "speech",
    ),
    "wav2vec2": (
        "FlaxWav2Vec2ForCTC",
        "Wav2Vec2Config",
        {
            "hidden_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 192,
            "vocab_size": 32,
            "conv_dim": [32] * 7,
            "num_conv_pos_embeddings": 16,
            "num_conv_pos_embedding_groups": 4,
            "do_stable_layer_norm": True,
            "feat_extract_norm": "layer",
        },
        lambda: {"input_values": normal(2, 8000)},
        "speech",
    ),
}


def model_of(model, configuration, values):
    import jax.numpy as jnp
    import transformers

    transformers.logging.set_verbosity_error()
    return getattr(transformers, model)(getattr(transformers, configuration)(**values), seed=0, dtype=jnp.float32)


def mode(network, train):
    """What says so in the call: some models say the opposite."""
    return {"train": train} if "train" in type(network).__call__.__code__.co_varnames else {"deterministic": not train}


def forward(model, configuration, values, data):
    def make():
        network = model_of(model, configuration, values)
        return lambda p, d: network(**d, params=p, **mode(network, False)).logits, (network.params, data())

    return make


def step(model, configuration, values, data):
    def make():
        import jax
        import jax.numpy as jnp

        network = model_of(model, configuration, values)

        def loss(p, d, key):
            out = network(**d, params=p, **mode(network, True), **dropout(d, key))
            out = out[0] if isinstance(out, tuple) and not hasattr(out, "logits") else out
            return -jnp.mean(jax.nn.log_softmax(out.logits)[..., 3])

        def dropout(d, key):
            return {} if "pixel_values" in d and not takes_rng else {"dropout_rng": key}

        takes_rng = "dropout_rng" in type(network).__call__.__code__.co_varnames
        return sgd(loss, network.params, data(), jax.random.PRNGKey(0))

    return make


for name, (model, configuration, values, data, family) in MODELS.items():
    add(f"hf_{name}", family, "transformers", forward(model, configuration, values, data))
    if name not in ("resnet_hf", "regnet", "wav2vec2", "big_bird"):  # big_bird's rng cannot be given
        add(f"hf_{name}_step", family, "transformers", step(model, configuration, values, data))

add(
    "hf_bert_base",
    "language",
    "transformers",
    forward("FlaxBertForMaskedLM", "BertConfig", {}, lambda: tokens(1, 128)),
    large=True,
)
add(
    "hf_gpt2_124m",
    "language",
    "transformers",
    forward("FlaxGPT2LMHeadModel", "GPT2Config", {}, lambda: tokens(1, 128)),
    large=True,
)
add(
    "hf_vit_base",
    "vision",
    "transformers",
    forward("FlaxViTForImageClassification", "ViTConfig", {}, lambda: pixels(1, 224)),
    large=True,
)
