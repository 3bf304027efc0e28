"""Gradients of whole models: the results' are taken back to the inputs, layer by layer, by the gradients that definitions state."""
