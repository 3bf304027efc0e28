"""Runs on several workers: each computes some items of a batch.

`split` divides the layers, sends blocks of items, and runs what must not be divided on the gathered values;
`worker` is what runs elsewhere: a part of the model, and arrays on their way; `starting` begins a worker's
process, before NumPy is loaded there. Results are those of a plain run, bit for bit.
"""
