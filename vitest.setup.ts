import fc from "fast-check";

/** Another series of generated inputs, where it is set. */
const seedVariable = "PROPERTY_SEED";

// One series for each run, so that a failure comes again.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env[seedVariable] ?? 20_261_121) });
