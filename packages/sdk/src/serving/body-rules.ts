/** What keeps a body from being used. */
export type BodyProblem = 'unusable' | 'late' | 'too_large'

/** What one kind of receiver accepts as a body. */
export interface BodyRules {
  maxBytes: number
  /** Longest time for which a body may be on its way, in milliseconds. */
  maxMs: number
  /** The error for a body that cannot be used. `problem` is the end of a sentence about the body. */
  unusable(problem: string, kind: BodyProblem): Error
}

/** The error for a body of more than `maxBytes`. */
export function tooLarge(rules: BodyRules): Error {
  return rules.unusable(`it is larger than ${rules.maxBytes} bytes`, 'too_large')
}

/** Rejects a body that announces more than `maxBytes`, before it is read. @throws What `rules` make of the problem */
export function rejectLength(rules: BodyRules, contentLength: string | null | undefined): void {
  if (Number(contentLength) > rules.maxBytes) throw tooLarge(rules)
}

/**
 * Rejects a compressed body: small bodies that unpack to huge ones are a way to exhaust a receiver.
 *
 * @throws What `rules` make of the problem
 */
export function rejectEncoded(rules: BodyRules, contentEncoding: string | null | undefined): void {
  if (!contentEncoding || contentEncoding.trim().toLowerCase() === 'identity') return
  const name = JSON.stringify(contentEncoding.slice(0, 40))
  throw rules.unusable(
    `its content-encoding is ${name}. Send it without, or unpack it before it comes here`,
    'unusable',
  )
}
