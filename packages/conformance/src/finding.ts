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

/** A judgement with its reason and the exchanges that prove it. */
export interface Finding {
  verdict: Verdict
  /** One sentence for people. */
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

/**
 * One finding for many: the first failure, else all that were judged together. It is skipped when none was.
 */
export function every(findings: readonly Finding[]): Finding {
  const failed = findings.find(({ verdict }) => verdict === 'fail')
  if (failed !== undefined) return failed
  const judged = findings.filter(({ verdict }) => verdict !== 'skipped')
  const [first] = judged
  if (first === undefined) return findings[0] ?? skip('there was nothing to judge')
  const exchanges = [...new Set(judged.flatMap((finding) => finding.exchanges))]
  const more = judged.length > 1 ? ` (and ${judged.length - 1} more)` : ''
  return { ...first, detail: `${first.detail}${more}`, exchanges }
}

/** Thrown when something that a check builds on is missing: it cannot be judged, which is not its own failure. */
export class BlockedError extends Error {
  override readonly name = 'BlockedError'
}

function exchangesOf(proof: Proof): readonly Exchange[] {
  return [proof].flat().map((one) => {
    if ('direction' in one) return one
    return 'exchange' in one ? one.exchange : one.response.exchange
  })
}
