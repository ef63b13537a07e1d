import fc from 'fast-check'
import { seededRandom } from './seeded-random.ts'

// The same generated values in each run: a verdict can be repeated, and a change is judged by what it changed.
// The nightly part draws others.
const seed = Number(process.env.FUZZ_SEED ?? 1)
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
// Of jitter, too.
Math.random = seededRandom(seed)
