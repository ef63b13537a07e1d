import type { FaultKind } from '@modelrun/reference-server'
import type { Observations } from './observations.ts'

/** The ways to the server whose clients are compared. */
export type WayName = 'server.fetch' | 'MSW 3' | 'MSW 2.10' | 'a socket'

type Client = keyof Observations

interface Row extends Observations {
  /** What the service does, for the guide. */
  does: string
}

/** What clients see of each fault, wherever no exception says otherwise. */
const ROWS: Readonly<Record<FaultKind, Row>> = {
  reset: { does: 'resets the connection without a response', fetch: 'ECONNRESET', axios: 'ECONNRESET' },
  'empty-reply': { does: 'ends the connection without a response', fetch: 'UND_ERR_SOCKET', axios: 'ECONNRESET' },
  refused: { does: 'accepts no connection', fetch: 'ECONNREFUSED', axios: 'ECONNREFUSED' },
  hang: {
    does: 'never responds: the client waits until its own time limit',
    fetch: 'TimeoutError',
    axios: 'ECONNABORTED',
  },
  'slow-headers': { does: 'responds late (`delay_ms`)', fetch: '200', axios: '200' },
  'slow-body': { does: 'sends the head at once, the body over `delay_ms`', fetch: '200', axios: '200' },
  'truncated-body': {
    does: 'ends the connection in the middle of the body (after `bytes`)',
    fetch: '200, then UND_ERR_SOCKET',
    axios: '200 ERR_BAD_RESPONSE',
  },
  'malformed-json': {
    does: 'says 200, with JSON that breaks off',
    fetch: '200, then SyntaxError',
    axios: '200 with text',
  },
  'rate-limit': { does: 'says 429, with `Retry-After`', fetch: '429', axios: '429 ERR_BAD_REQUEST' },
  'server-error': { does: 'says 500', fetch: '500', axios: '500 ERR_BAD_RESPONSE' },
  'bad-gateway': { does: 'says 502 with a web page', fetch: '502, then SyntaxError', axios: '502 ERR_BAD_RESPONSE' },
  unavailable: {
    does: 'says 503 (with `retry_after`, also when to come back)',
    fetch: '503',
    axios: '503 ERR_BAD_RESPONSE',
  },
  response: {
    does: 'says what you choose: `status`, `headers`, `body`',
    fetch: '200, then SyntaxError',
    axios: '200 with text',
  },
}

interface Exception {
  way: WayName
  clients: readonly Client[]
  kinds: readonly FaultKind[]
  see: string
  why: string
}

/** Where a transport cannot do the same, and why. */
const EXCEPTIONS: readonly Exception[] = [
  {
    way: 'server.fetch',
    clients: ['axios'],
    kinds: ['reset', 'empty-reply', 'refused'],
    see: 'ERR_NETWORK',
    why: 'its `fetch` adapter has one code for them all; the other is in `cause`',
  },
  {
    way: 'server.fetch',
    clients: ['axios'],
    kinds: ['truncated-body'],
    see: 'UND_ERR_SOCKET',
    why: 'its `fetch` adapter hands on what reading the body rejects with',
  },
  {
    way: 'server.fetch',
    clients: ['axios'],
    kinds: ['hang'],
    see: 'ETIMEDOUT',
    why: 'its `fetch` adapter calls a time limit so',
  },
  {
    way: 'a socket',
    clients: ['fetch', 'axios'],
    kinds: ['refused'],
    see: 'ECONNRESET',
    why: 'a port that listens accepts; close it to refuse connections',
  },
  {
    way: 'MSW 2.10',
    clients: ['axios'],
    kinds: ['empty-reply'],
    see: 'UND_ERR_SOCKET',
    why: 'MSW 2 hands an error on as it is',
  },
  {
    way: 'MSW 2.10',
    clients: ['axios'],
    kinds: ['truncated-body'],
    see: 'HPE_INVALID_CONSTANT',
    why: 'MSW 2 sends a second response behind the half one',
  },
]

/** Every kind of fault. */
export const KINDS = Object.keys(ROWS) as FaultKind[] // the record's type says that these are its keys

/** How long clients wait: not long for what never comes, and long enough for a busy machine otherwise. */
export function timeLimitMs(kind: FaultKind): number {
  return kind === 'hang' ? 100 : 100_000
}

/** What the clients of a transport see of a fault. */
export function expectedObservations(way: WayName, kind: FaultKind): Observations {
  const { fetch, axios } = ROWS[kind]
  const seen = { fetch, axios }
  for (const { clients, see } of EXCEPTIONS.filter((one) => one.way === way && one.kinds.includes(kind))) {
    for (const client of clients) seen[client] = see
  }
  return seen
}

/** The table as it stands in the guide. */
export function faultTable(): string {
  const rows = KINDS.map((kind) => {
    const { does, fetch, axios } = ROWS[kind]
    return [code(kind), does, code(fetch), code(axios)]
  })
  const exceptions = EXCEPTIONS.map(({ way, clients, kinds, see, why }) => [
    way,
    clients.join(', '),
    kinds.map(code).join(', '),
    code(see),
    why,
  ])
  return [
    ...markdown(['kind', 'the service', '`fetch` sees', 'axios sees'], rows),
    '',
    'It is the same on every transport, but for:',
    '',
    ...markdown(['transport', 'client', 'kind', 'sees', 'because'], exceptions),
  ].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function markdown(head: readonly string[], rows: readonly string[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
