import type { Exchange } from './exchange.ts'
import type { JsonValue } from './json.ts'

/**
 * The outcome of a check:
 * - `pass`: the service does what the specification states
 * - `fail`: it does something else
 * - `observed`: the specification leaves it open; `observation` says what the service does
 * - `skipped`: not judged; `detail` says why
 */
export type Verdict = 'pass' | 'fail' | 'observed' | 'skipped'

export interface Finding {
  verdict: Verdict
  detail: string
  exchanges: readonly Exchange[]
  /** Of an observation. */
  observation?: JsonValue | undefined
}

/** What proves a finding: exchanges, responses, deliveries, or requests with their responses. */
export type Proof = Proven | readonly Proven[]

type Proven = Exchange | { exchange: Exchange } | { response: { exchange: Exchange } }

const ofVerdict =
  (verdict: Verdict) =>
  (detail: string, proof: Proof = []): Finding => ({ verdict, detail, exchanges: exchangesOf(proof) })

export const pass = ofVerdict('pass')
export const fail = ofVerdict('fail')
export const skip = ofVerdict('skipped')

export function judge(isRight: boolean, detail: string, proof: Proof): Finding {
  return isRight ? pass(detail, proof) : fail(detail, proof)
}

export function observe(observation: JsonValue, detail: string, proof: Proof): Finding {
  return { ...ofVerdict('observed')(detail, proof), observation }
}

const MOST_FAULTS = 3

/** One finding for many: all different failures, else everything that was judged. Skipped when nothing was. */
export function every(findings: readonly Finding[]): Finding {
  const failed = findings.filter(({ verdict }) => verdict === 'fail')
  const judged = findings.filter(({ verdict }) => verdict !== 'skipped')
  const [first] = judged
  if (first === undefined) return findings[0] ?? skip('there was nothing to judge')
  if (failed.length === 0) return { ...first, exchanges: exchangesIn(judged) }
  const different = [...new Map(failed.toReversed().map((one) => [one.detail, one])).values()].toReversed()
  const faults = different.slice(0, MOST_FAULTS)
  const more = failed.length > faults.length ? ` (${failed.length} times in all)` : ''
  return {
    verdict: 'fail',
    detail: `${faults.map(({ detail }) => detail).join('; ')}${more}`,
    exchanges: exchangesIn(faults),
  }
}

function exchangesIn(findings: readonly Finding[]): Exchange[] {
  return [...new Set(findings.flatMap(({ exchanges }) => exchanges))]
}

/** Thrown when something that a scenario builds on is missing: its checks are skipped. */
export class BlockedError extends Error {
  override readonly name = 'BlockedError'
}

function exchangesOf(proof: Proof): readonly Exchange[] {
  return [proof].flat().map((proven) => {
    if ('direction' in proven) return proven
    return 'exchange' in proven ? proven.exchange : proven.response.exchange
  })
}
