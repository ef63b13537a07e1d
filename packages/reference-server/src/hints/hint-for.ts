import { assumptionHints } from './assumption-hints.ts'
import { bodyHints } from './body-hints.ts'
import { corsHints } from './cors-hints.ts'
import type { HintContext } from './hint-scene.ts'
import { jobHints } from './job-hints.ts'
import { keyHints } from './key-hints.ts'
import { pathHints } from './path-hints.ts'
import { queryHints } from './query-hints.ts'

/** The header that tells what the body, which is as the specification says, cannot. */
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

/** What may help with an answer: what was probably meant, which assumption is behind it. `undefined` when nothing can. */
export function hintFor(context: HintContext): string | undefined {
  const { route, hints = [], jobStatus } = context.trace
  // By far the most common answers, and there is nothing to say about them.
  if (context.status === 200 && hints.length === 0 && (route === 'getJob' || jobStatus === 'completed'))
    return undefined
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
