"""Functions of nodes of Graiphic that are not the functions of an op of OpenVINO."""
