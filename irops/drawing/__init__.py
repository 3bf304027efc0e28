"""Pictures of models: layers as boxes, with the types and shapes on their edges."""
