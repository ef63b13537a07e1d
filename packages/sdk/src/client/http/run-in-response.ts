import { isRecord, memberOf, tryParseJson } from '@modelrun/kit'
import type { NamedRun, ReceivedResponse } from './operation.ts'
import { asKnownStatus, endOfString, IS_READ, jsonIn, only, toJobId, toOutput } from './read-response.ts'

/**
 * True for the statuses by which a server says that it did not do what was asked, from any sender: 4xx except 408 and 499, which say
 * that the request came late, or was given up on the way.
 */
export function isRejection(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 499
}

/**
 * What a response says of a run that exists. Undefined when it speaks of nothing but an error: only then it is a rejection that may be
 * sent again. A body that is too large to be parsed may say anything.
 */
export function runIn(received: ReceivedResponse): NamedRun | undefined {
  received.run ??= { found: findRun(received) }
  return received.run.found
}

function findRun(received: ReceivedResponse): NamedRun | undefined {
  const { text, status, problem, response, sent = '' } = received
  const whole = jsonIn(received)
  const value = only(whole ?? startOf(text))
  const members = membersOf(value)
  const ownId = toJobId(memberOf(value, 'job_id')) ?? toJobId(memberOf(memberOf(value, 'data'), 'job_id'))
  const located = /\/jobs\/([^/?#]+)\/?(?:[?#]|$)/.exec(response.headers.get('location') ?? '')?.[1]
  // An id that was sent is an echo.
  const isNew = (id: string | undefined) => id !== undefined && !sent.includes(JSON.stringify(id))
  const jobId = ownId ?? members.map(jobIdOf).find(isNew) ?? toJobId(located)
  // An error with the status of a rejection may name the job that is in its way.
  const isOwn = ownId !== undefined && !(isRejection(status) && memberOf(value, 'error'))
  const isHidden = problem !== undefined && problem !== IS_READ
  const isNamed = whole === undefined && (isHidden || /job_?id/i.test(text))
  return jobId !== undefined || isNamed || members.some(isOfRun) ? { jobId, isOwn } : undefined
}

/** A member of a response, at any depth. One of a list has the name of the list. */
interface Member {
  name: string
  around: string
  value: unknown
  isInError: boolean
}

/**
 * The members of a response, the upper ones first. Without those of an input, which may be an echo, of an output, and of a list of
 * several, such as the jobs that take all places of the account.
 */
function membersOf(root: unknown): Member[] {
  const members: Member[] = [{ name: '', around: '', value: root, isInError: false }]
  for (const { name, around, value, isInError } of members) {
    if (typeof value !== 'object' || value === null || /^(in|out)puts?$/.test(name)) continue
    const isList = Array.isArray(value)
    if (isList && value.length > 1 && value !== root) continue
    for (const [key, member] of Object.entries(value)) {
      const place = isList ? { name, around } : { name: key.toLowerCase(), around: name }
      members.push({ ...place, value: member, isInError: isInError || /^(errors?|faults?|details?)$/i.test(key) })
    }
  }
  return members
}

function jobIdOf({ name, around, value, isInError }: Member): string | undefined {
  const isId =
    /^job_?ids?$/.test(name) ||
    (/^jobs?$/.test(name) && typeof value === 'string') ||
    (name === 'id' && (isInError ? /^jobs?$/ : /^(data|jobs?|runs?)$/).test(around))
  return isId ? toJobId(value) : undefined
}

/** True for what the specification gives only to a run that exists (section 2.4), where a response has it. */
function isOfRun({ name, around, value, isInError }: Member): boolean {
  if (/^job_?id$/.test(name)) return isRecord(value) || (typeof value === 'string' && value !== '' && !toJobId(value))
  if (isInError || !/^(data|job|run|result)?$/.test(around)) return false
  const isOutput = name === 'output' && (toOutput(value)?.items.length ?? 0) > 0
  const isStatus = name === 'status' && typeof value === 'string' && LIVE.includes(asKnownStatus(value))
  return isOutput || isStatus || (name === 'credits_used' && Number(value) > 0)
}

const LIVE = ['queued', 'processing', 'succeeded']

/** Characters, and levels: an id is near the start, and a hostile text is all brackets. */
const MAX_SCANNED = 65_536
const MAX_DEPTH = 500

interface Started {
  into: unknown[] | Record<string, unknown>
  /** In an object, the key of the value that comes next. */
  key?: string | undefined
}

/**
 * The value of JSON that ends too early, or is not quite JSON, without what is cut. One pass without recursion, because the text may
 * be huge or hostile.
 */
function startOf(text: string): unknown {
  const root: unknown[] = []
  const started: Started[] = [{ into: root }]
  for (const token of wholeTokens(text.slice(0, MAX_SCANNED))) {
    const place = started.at(-1)
    if (place === undefined || started.length > MAX_DEPTH) break
    const value = valueOfToken(token)
    if (token === '}' || token === ']') started.pop()
    else if (token === ',') place.key = undefined
    else if (token !== ':') put(value, place)
    if (typeof value === 'object') started.push({ into: value })
  }
  return root[0]
}

function put(value: unknown, place: Started): void {
  const { into, key } = place
  if (Array.isArray(into)) into.push(value)
  else if (key !== undefined) into[key] ??= value
  else if (typeof value === 'string') place.key = value
}

/** Parses what has to be: a hostile text has many tokens. */
function valueOfToken(token: string): string | number | Started['into'] | undefined {
  if (token === '[') return []
  // Without a prototype, so that no key has a meaning.
  if (token === '{') return Object.create(null)
  if (!token.startsWith('"')) return /^-?\d/.test(token) ? Number(token) : undefined
  return token.includes('\\') ? String(tryParseJson(token) ?? '') : token.slice(1, -1)
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
