import { tryParseJson } from '@modelrun/kit'
import { endOfString } from '../http/read-response.ts'

/** The values of `job_id` in a response: of itself, of its `data` and of its `error` (sections 2.4 and 7). */
export type FoundIds = Partial<Record<'root' | 'data' | 'error', unknown>>

const PLACES: ReadonlyMap<string, keyof FoundIds> = /* @__PURE__ */ new Map([
  ['/"job_id"', 'root'],
  // A list of one response.
  ['//"job_id"', 'root'],
  ['/"data"/"job_id"', 'data'],
  ['/"error"/"job_id"', 'error'],
])

/** Characters: an id is near the start, and a hostile text is all brackets. */
const MAX_SCANNED = 65_536

/**
 * Finds the job ids of JSON that ends too early, or is not quite JSON, wherever other members stand. A value that is cut is
 * left out. One pass without recursion, because the text may be huge or hostile.
 */
export function findIdsInText(text: string): FoundIds {
  const ids: FoundIds = {}
  for (const [path, value] of valuesIn(text.slice(0, MAX_SCANNED))) {
    const place = PLACES.get(path)
    if (place !== undefined) ids[place] ??= tryParseJson(value)
  }
  return ids
}

/** What each token that is not a value does to the depth. */
const STEPS: ReadonlyMap<string, number> = /* @__PURE__ */ new Map([['{', 1], ['[', 1], ['}', -1], [']', -1], [',', 0]]) // biome-ignore format: a row

/** A place in JSON. */
interface Place {
  depth: number
  /** The key of the second object around, as JSON. */
  around: string
  /** The key of the value that comes next, as JSON. */
  key: string
}

/** Texts and words with their path, as far as two objects reach, both as JSON. */
function* valuesIn(text: string): Generator<[path: string, value: string]> {
  const place: Place = { depth: 0, around: '', key: '' }
  let last = ''
  for (const token of wholeTokens(text)) {
    const step = STEPS.get(token)
    if (step !== undefined) move(place, token, step)
    else if (token === ':') place.key = last
    else {
      last = token
      yield [pathOf(place), token]
    }
    if (place.depth === 0) return
  }
}

function move(place: Place, token: string, step: number): void {
  place.depth += step
  if (place.depth === 2 && step > 0) place.around = token === '{' ? place.key : '[]'
  place.key = ''
}

function pathOf({ depth, around, key }: Place): string {
  if (depth === 1) return `/${key}`
  return depth === 2 ? `/${around}/${key}` : ''
}

/** The tokens of JSON up to the one that is cut: brackets, separators, texts with their quotes, and words such as `12`. */
function* wholeTokens(text: string): Generator<string> {
  const starts = /[{}[\],:"]|[^\s{}[\],:"]+/g
  for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
    const isText = match[0] === '"'
    const end = isText ? endOfString(text, match.index) + 1 : starts.lastIndex
    // A word at the end may be a part of a number.
    if (end > text.length || (end === text.length && /\w$/.test(match[0]))) return
    starts.lastIndex = end
    yield text.slice(match.index, end)
  }
}
