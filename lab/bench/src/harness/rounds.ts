import { parseArgs } from 'node:util'
import { waitForQuiet } from './quiet.ts'

/** How many rounds were asked for: `--rounds 3`. */
export function roundCount(fallback: number): number {
  const { values } = parseArgs({ options: { rounds: { type: 'string' } }, strict: true })
  const rounds = Number(values.rounds ?? fallback)
  if (Number.isInteger(rounds) && rounds > 0) return rounds
  throw new RangeError(`--rounds takes a whole number above 0, not ${values.rounds}.`)
}

/**
 * Measures every case once per round, so that a slow minute of the machine hits all of them. Each round starts one case
 * later than the one before it, so that no case always has the same predecessor.
 */
export async function interleave<Case, Result>(
  cases: readonly Case[],
  rounds: number,
  measure: (item: Case) => Promise<Result>,
): Promise<Map<Case, Result[]>> {
  const results = new Map<Case, Result[]>(cases.map((item) => [item, []]))
  for (let round = 0; round < rounds; round++) {
    await waitForQuiet()
    const shift = round % cases.length
    for (const item of [...cases.slice(shift), ...cases.slice(0, shift)]) {
      results.get(item)?.push(await measure(item))
    }
    console.error(`round ${round + 1} of ${rounds}`)
  }
  return results
}
