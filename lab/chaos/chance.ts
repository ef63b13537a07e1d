import { createHash } from 'node:crypto'

/** A number from 0 up to 1 that is the same for the same seed and parts, in every process. */
export function chance(seed: number, ...parts: (string | number)[]): number {
  const hash = createHash('sha256')
    .update([seed, ...parts].join(' '))
    .digest()
  return hash.readUInt32BE() / 2 ** 32
}
