import { assumptionHints } from './assumption-hints.ts'
import { bodyHints } from './body-hints.ts'
import type { HintContext } from './request-hints.ts'
import { corsHints, jobHints, keyHints, pathHints, queryHints } from './request-hints.ts'

/** The header for what the body cannot say: the specification defines the body. */
export const HINT_HEADER = 'x-modelrun-hint'

const MAX_LENGTH = 1_000

const SOURCES: readonly ((context: HintContext) => readonly string[])[] = [
  corsHints,
  keyHints,
  pathHints,
  queryHints,
  bodyHints,
  jobHints,
  assumptionHints,
]

/** Help with a response: what was probably meant, which assumption is behind it. `undefined` when there is none. */
export function hintFor(context: HintContext): string | undefined {
  const { hints = [] } = context.trace
  const sentences = [...hints, ...SOURCES.flatMap((source) => source(context))]
  return sentences.length === 0 ? undefined : headerText(sentences.join(' '))
}

/** A header takes ASCII on one line. */
function headerText(text: string): string {
  return text
    .replace(/…/g, '...')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_LENGTH)
}
