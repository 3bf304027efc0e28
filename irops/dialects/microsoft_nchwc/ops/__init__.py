"""Functions of the ops of the domain com.microsoft.nchwc."""
