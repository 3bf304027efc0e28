"""Building and changing models. graph is irops.Graph, in which a model is built or changed node by node;
translation converts between dialects, conversion to the op versions of another release; extraction.py takes a
part of a model, diff compares two, splitting runs items of a batch on several workers. What enters is an
analysis of a model; what leaves is a Model, which writing.py writes in the dialect of its path.
"""
