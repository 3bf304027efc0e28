"""Compare an op across dialects: what the definitions specify, and what runtimes do with unusual inputs."""
