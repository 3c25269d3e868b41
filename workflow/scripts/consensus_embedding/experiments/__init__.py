"""One module per family of experiments: data, parameters and seed in, tidy rows and arrays out."""
