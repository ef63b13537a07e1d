import fc from 'fast-check'

// The same generated values in each run: a verdict can be repeated, and a change is judged by what it changed.
// The nightly part draws others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FUZZ_SEED ?? 1) })
