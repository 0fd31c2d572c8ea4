"""Arguments in, one verb, one render. Nothing here thinks, and nothing heavy is imported before it is used."""
