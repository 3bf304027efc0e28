"""IR6xx: faults that show when a model is evaluated."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR601",
        "missing-input",
        Severity.ERROR,
        "an input of the model was given no value",
        "Every Parameter needs an array: by its tensor name, its layer name or its position.",
    ),
    Rule(
        "IR602",
        "unknown-input",
        Severity.ERROR,
        "a value was given for an input that the model does not have",
        "Inputs are known by tensor name, by layer name or by position; `irops inspect` lists them.",
    ),
    Rule(
        "IR603",
        "unfit-input",
        Severity.ERROR,
        "a given array does not fit the input",
        "The array's element type and shape must be ones that the Parameter allows. irops converts nothing.",
    ),
    Rule(
        "IR604",
        "unevaluable-op",
        Severity.ERROR,
        "no backend can compute the op",
        "None of the given backends has a kernel for it; the reference has one for every op that irops"
        " defines.",
    ),
    Rule(
        "IR605",
        "byte-limit",
        Severity.ERROR,
        "evaluation would hold more bytes than the limit allows",
        "The limit, called tensor_bytes, guards the machine against models that ask for terabytes.",
    ),
    Rule(
        "IR606",
        "iteration-limit",
        Severity.ERROR,
        "a loop would take more iterations than the limit allows",
        "The limit, called iterations, guards against loops that never end.",
    ),
    Rule(
        "IR607",
        "failed-kernel",
        Severity.ERROR,
        "a kernel failed",
        "A kernel raised an error of its own. This is a fault of irops or of the backend, not of the model;"
        " please report it.",
    ),
    Rule(
        "IR608",
        "unfaithful-kernel",
        Severity.ERROR,
        "a kernel's result is not what was inferred, or not what the reference computes",
        "Results are held to the inferred element type and shape always, and to the reference with"
        " verify=True.",
    ),
    Rule(
        "IR610",
        "unknown-backend",
        Severity.ERROR,
        "no backend has this name",
        "reference is always there; others come with packages that register under the entry point group"
        " irops.backends.",
    ),
    Rule(
        "IR611",
        "impossible-filling",
        Severity.ERROR,
        "no value can be made up for an input",
        "To fill an input, its element type and rank must be known; say the sizes of dynamic dimensions with"
        " --shape NAME:2,7.",
    ),
    Rule(
        "IR612",
        "declined-op",
        Severity.ERROR,
        "every backend that was asked declines to compute a layer",
        "A backend declines where it would narrow, corrupt or crash: OpenVINO computes i64 as i32 and f64 as"
        " f32, say. The message tells why; a chain that ends with reference declines nothing.",
    ),
    Rule(
        "IR613",
        "unavailable-backend",
        Severity.ERROR,
        "a backend was asked for whose library is not installed",
        "Backends that stand on another library need it to be installed; the message names the extra of irops"
        " that brings it.",
    ),
    Rule(
        "IR614",
        "evaluation-time-limit",
        Severity.ERROR,
        "evaluation takes longer than the limit allows",
        "The limit, called run_seconds, is looked at between layers and between the iterations of loops.",
    ),
    Rule(
        "IR615",
        "out-of-memory",
        Severity.ERROR,
        "this machine has not the memory that a layer takes",
        "The tensors that are held are within the limit tensor_bytes, and yet the system gives no more"
        " memory: other programs hold it, or a bound was set on the process.",
    ),
    Rule(
        "IR616",
        "impossible-array",
        Severity.ERROR,
        "a tensor has more axes, or greater sizes, than arrays can have here",
        "Types and shapes are inferred whatever they are; to compute, tensors are held as arrays of NumPy."
        " These have 64 axes at most, and less than 2^63 bytes even where one size is 0 and the others alone"
        " would make more.",
    ),
    Rule(
        "IR617",
        "unapplied-mean-values",
        Severity.ERROR,
        "mean values, which OpenVINO subtracts from an input and irops does not",
        "Old files may have a <pre-process> with a mean value, or a mean image, for each channel of an input."
        " OpenVINO's reader turns it into a Subtract behind that input. Types and shapes stay the same, so"
        " such a model is checked and inferred; to run it here, write the Subtract into the graph and take"
        " the <pre-process> away.",
    ),
)
