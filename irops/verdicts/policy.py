"""Every number that decides a verdict and is chosen, with its reason: the table in docs/comparing.md.

What follows from a type, such as its roundoff, is no choice and stands in irops.verdicts.question.
"""

SAFETY = 8.0
"""How many standard deviations the error of a sum may be from 0: of 10^13 sums, one is further. Times the
root of the number of terms, it is more than the worst case of up to 64 terms.
"""
ULPS = 4.0
"""How many roundoffs functions such as Exp may be off: the libraries of runtimes promise 1 to 4."""
NARROW_ULPS = 0.25
"""The same in types narrower than f32, which are computed in f32 and rounded once: with 4, an eighth of a
value in bf16 would be rounding.
"""
SENSITIVITY_TRIES = 3
"""How often inputs are changed by one roundoff, with random signs, where an op has no bound of its own."""
JUMP = 4096.0
"""How many roundoffs of the greatest element more than rounding moves the result of an op that jumps."""
LARGE = 1 - 2.0**-8
"""From which share of the greatest number of a type a result may be infinity: bf16 rounds by so much."""
TIE_TRIES = 8
"""How often inputs are rounded otherwise to see which results of an op that jumps are possible."""
POOLING_TRIES = 32
"""The same for the indices of a pooling: one try in four exchanges two elements."""
NOISE_MARGIN = 32.0
"""How many times what rounding changes in a second run is still rounding: two runs are a small sample."""
STEP = 1e-5
"""From which share of the greatest element a change is a step: of 65,536 levels, the least that are used; f32
rounds to 1e-7 of it.
"""
MASK = 1e4
"""The least magnitude of the numbers of a mask, such as -1e9: their rounding says nothing of others."""
APART = 1e3
"""How many times greater than all others they are: no natural tensor has such a gap."""
SAME = 1e-4
"""How far layers of two models may be apart, as a share of their length, to be partners: layers that compute
something else are not so near for two sets of inputs, and conversions in f16 are nearer.
"""
FEWEST = 8
"""From how many elements on values make partners: shorter tensors are sizes and factors, which many share."""
LEAST_SHARE = 0.01
"""Which share of the noise to signal of the whole model a reduced one has at least: less is another fault."""
SAME_SIZE = 1.25
"""Up to which factor the noise to signal of two cases is the same, so that the fault is."""
