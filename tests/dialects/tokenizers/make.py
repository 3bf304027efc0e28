"""Make tokenizers in OpenVINO IR: train tiny ones, and convert them with openvino-tokenizers.

    python -m venv env
    env/bin/pip install openvino-tokenizers tokenizers transformers sentencepiece tiktoken protobuf
    env/bin/python tests/dialects/tokenizers/make.py FOLDER [KIND ...]

writes <kind>_tokenizer.xml, <kind>_detokenizer.xml and their .bin to FOLDER, and for each file the element
types and shapes that OpenVINO infers with the extension library, as <kind>_tokenizer.json. Nothing but the
packages is downloaded. The files in this folder were made by openvino-tokenizers 2026.4.1, one kind in each
run; the tests need no library to read them.
"""

import json
import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import openvino
import openvino_tokenizers
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "A tokenizer splits a text into the tokens of a vocabulary.",
    "Each token has a number; a detokenizer joins tokens to a text.",
    "Ragged rows are padded to one length, so that a batch is one tensor.",
    "The quick brown fox jumps over the lazy dog, 1234567890 times!",
] * 4
logging.disable(logging.CRITICAL)
Pair = tuple[openvino.Model, openvino.Model]


def converted(tokenizer: Tokenizer, **options: object) -> Pair:
    names = {"unk_token": "<unk>", "pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)
    return openvino_tokenizers.convert_tokenizer(fast, with_detokenizer=True, **options)


def special() -> list[str]:
    return ["<unk>", "<pad>", "<s>", "</s>"]


def byte_level_bpe() -> Pair:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=290, initial_alphabet=alphabet, special_tokens=special())
    tokenizer.train_from_iterator(TEXTS, trainer)
    return converted(tokenizer)


def bpe() -> Pair:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    trainer = trainers.BpeTrainer(vocab_size=100, special_tokens=special(), end_of_word_suffix="</w>")
    tokenizer.train_from_iterator(TEXTS, trainer)
    return converted(tokenizer)


def wordpiece(**options: object) -> Pair:
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=100, special_tokens=special()))
    ends = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=ends
    )
    return converted(tokenizer, **options)


def pairs() -> Pair:
    """A tokenizer of two texts, such as a question and a passage."""
    return wordpiece(number_of_inputs=2, truncation=True)


def unigram() -> Pair:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("  ", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=80, special_tokens=special(), unk_token="<unk>")
    tokenizer.train_from_iterator(TEXTS, trainer)
    return converted(tokenizer)


def sentencepiece() -> Pair:
    from sentencepiece import SentencePieceTrainer
    from transformers.tokenization_utils_sentencepiece import SentencePieceBackend

    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "tokenizer"))
        SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS),
            model_prefix=prefix,
            vocab_size=60,
            pad_id=3,
            normalization_rule_name="identity",  # the table of another one takes 240 kB
            minloglevel=2,
        )
        names = {"unk_token": "<unk>", "pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
        slow = SentencePieceBackend(vocab_file=f"{prefix}.model", **names)
        return openvino_tokenizers.convert_tokenizer(slow, with_detokenizer=True)


def tiktoken() -> Pair:
    from tiktoken import Encoding

    words = (b" t", b"th", b"to", b"ke", b"en", b" th", b" the", b" to", b" tok", b"ken")
    ranks = {token: rank for rank, token in enumerate((*(bytes([n]) for n in range(256)), *words))}
    pattern = r"[^\s\p{L}]|\s?\p{L}+|\s+"
    encoding = Encoding("tiny", pat_str=pattern, mergeable_ranks=ranks, special_tokens={"<s>": len(ranks)})
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), pad_token="<s>")
    fast.encoder = encoding
    return openvino_tokenizers.convert_tokenizer(fast, with_detokenizer=True)


def trie() -> Pair:
    words = ["a", "b", "c", " ", "to", "token", "tokens", "text", "e", "t", "o", "k", "n", "s"]
    lines = [f"{number} {word!r} {len(word)}" for number, word in enumerate(words, 1)]
    return openvino_tokenizers.build_rwkv_tokenizer(lines)


KINDS: dict[str, Callable[[], Pair]] = {
    function.__name__: function
    for function in (byte_level_bpe, bpe, wordpiece, pairs, unigram, sentencepiece, tiktoken, trie)
}


def inferred(path: Path) -> dict[str, list[str]]:
    """The outputs of each layer by its name, as OpenVINO reads the file with the extension library."""
    model = openvino.Core().read_model(path)
    return {
        node.get_friendly_name(): [
            f"{output.element_type.get_type_name()}{output.partial_shape}" for output in node.outputs()
        ]
        for node in model.get_ordered_ops()
        if node.get_type_name() not in ("Result", "Assign")
    }


def main(folder: str, *kinds: str) -> None:
    for kind in kinds or KINDS:
        for model, name in zip(KINDS[kind](), ("tokenizer", "detokenizer")):
            path = Path(folder, f"{kind}_{name}.xml")
            openvino.save_model(model, path)
            path.with_suffix(".json").write_text(json.dumps(inferred(path), indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
