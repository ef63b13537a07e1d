import type { Engine } from '@modelrun/durable'
import type { RunManyOptions } from 'modelrun'
import { type Act, errorAct, html, json } from './acts.ts'
import { FETCH_PLUGINS } from './fetch-plugins.ts'
import { type Call, never, type Plugged, type Plugin, type Setting } from './plugin.ts'
import { WEBHOOK_PLUGINS } from './webhook-plugins.ts'

const plugin = (name: string, plug: Plugin['plug'], flags: Partial<Plugin> = {}): Plugin => ({ name, plug, ...flags })
const harmless = { isHarmless: true }
const single: readonly Call[] = ['sync', 'async', 'submit', 'many']
const only = (...calls: Call[]): Partial<Plugin> => ({ calls })

const throwing =
  ({ fault }: Setting) =>
  () => {
    throw fault()
  }
const rejecting =
  ({ fault }: Setting) =>
  async () => {
    throw fault()
  }

const key = (name: string, make: (setting: Setting) => unknown, flags: Partial<Plugin> = {}): Plugin =>
  plugin(`apiKey: ${name}`, (setting) => ({ client: { apiKey: make(setting) as () => string } }), flags)

const KEYS: readonly Plugin[] = [
  key('function', () => async () => 'sk_live_matrix_0123456789abcdef', harmless),
  key('throws', throwing),
  key('rejects', rejecting),
  key('hangs', () => never),
  key('gives undefined', () => () => undefined),
]

/** A logger that fails changes nothing. */
const logger = (name: string, make: (setting: Setting) => () => unknown): Plugin =>
  plugin(`logger: ${name}`, (setting) => {
    const write = make(setting)
    return { client: { logLevel: 'debug', logger: { debug: write, info: write, warn: write, error: write } } }
  }, harmless) // biome-ignore format: a row

const OBSERVERS: readonly Plugin[] = [
  logger('throws', throwing),
  logger('rejects', rejecting),
  logger('hangs', () => never),
  ...['throws', 'rejects', 'hangs'].map((name) => plugin(`onStatus: ${name}`, (setting) => ({ run: { onStatus: { throws: throwing(setting), rejects: rejecting(setting), hangs: never }[name] } }), { ...harmless, calls: single })), // biome-ignore format: a row
]

/** Aborts when a request of this method came, or at the latest after `ms`. */
function abortAt({ cell, abort, signal }: Setting, method: string, ms: number): Plugged {
  cell.onRequest = (came) => {
    if (came === method) setTimeout(abort, 5).unref()
  }
  setTimeout(abort, ms).unref()
  return { run: { signal } }
}

const SIGNALS: readonly Plugin[] = [
  plugin('signal: never aborts', ({ signal }) => ({ run: { signal } }), harmless),
  plugin('signal: aborted before', ({ abort, signal }) => {
    abort()
    return { run: { signal } }
  }), // biome-ignore format: a row
  plugin('signal: aborts at once', (setting) => abortAt(setting, 'none', 1)),
  plugin('signal: aborts midway', (setting) => abortAt(setting, 'POST', 100)),
  plugin('signal: aborts late', (setting) => abortAt(setting, 'GET', 300)),
  plugin('signal: aborts and cancels', (setting) => {
    const { run } = abortAt(setting, 'GET', 300)
    return { run: { ...run, onAbort: 'cancel' } }
  }, { calls: single }), // biome-ignore format: a row
  plugin('deadline: short', () => ({ run: { deadlineMs: 60 } }), { calls: single }),
  plugin('deadline: short, cancels', () => ({ run: { deadlineMs: 60, onDeadline: 'cancel' } }), { calls: single }),
]

const priced = (name: string, model: Act, run: NonNullable<Plugged['run']>): Plugin =>
  plugin(`price: ${name}`, ({ cell }) => {
    cell.model = model
    return { run }
  }, { calls: single }) // biome-ignore format: a row
const maxCredits = 10

const CHECKS: readonly Plugin[] = [
  priced('500', errorAct(500, 'INTERNAL'), { maxCredits }),
  priced('hangs', { ending: 'stall' }, { maxCredits }),
  priced('page', html(200), { maxCredits }),
  priced('as text', json(200, { id: 'aurora-image', pricing: { credits_per_run: '4' } }), { maxCredits }),
  priced('schema resets', { ending: 'reset' }, { validateInput: true }),
  plugin('input: getter throws', ({ fault }) => ({ input: (prompt) => ({ prompt, get size() { throw fault() } }) }), { mayReject: true }), // biome-ignore format: a row
  plugin('input: toJSON throws', (setting) => ({ input: () => ({ toJSON: throwing(setting) }) }), { mayReject: true }),
  plugin('input: a Proxy that throws', (setting) => ({ input: () => new Proxy({}, { ownKeys: throwing(setting) }) }), { mayReject: true }), // biome-ignore format: a row
]

const resume = (name: string, get: (setting: Setting) => unknown): Plugin =>
  plugin(`resume: ${name}`, (setting) => ({ many: { resume: { get: get(setting) } as never as RunManyOptions['resume'] } }), only('many')) // biome-ignore format: a row
const delay = (name: string, nextDelayMs: (setting: Setting) => () => number): Plugin =>
  plugin(`nextDelayMs: ${name}`, (setting) => ({ client: { polling: { nextDelayMs: nextDelayMs(setting) } } }), { calls: single }) // biome-ignore format: a row

const LOOPS: readonly Plugin[] = [
  resume('throws', throwing),
  resume('hangs', () => never),
  resume('gives {}', () => () => ({})),
  plugin('onProgress: throws', (setting) => ({ many: { onProgress: throwing(setting) } }), { calls: ['many'], mayThrowRaw: true }), // biome-ignore format: a row
  plugin('onProgress: hangs', () => ({ many: { onProgress: never } }), only('many')),
  delay('throws', throwing),
  delay('NaN', () => () => Number.NaN),
  plugin('random: throws', (setting) => ({ client: { random: throwing(setting) } }), { calls: single }),
  plugin('random: NaN', () => ({ client: { random: () => Number.NaN } }), { calls: single }),
]

/** An engine whose method is replaced. */
const engine = (name: string, change: (call: () => Promise<unknown>, count: number, setting: Setting) => Promise<unknown>): Plugin =>
  plugin(`engine: ${name}`, (setting) => {
    let count = 0
    const wrap = (own: (...values: unknown[]) => unknown) => (...values: unknown[]) => change(async () => own(...values), ++count, setting) // biome-ignore format: a row
    const wrapped = (inner: Engine): Engine => {
      const names = ['add', 'get', 'list', 'replay', 'remove', 'total'] as const
      const guardedBy: Engine['guardedBy'] = (guard) => wrapped(inner.guardedBy(guard))
      return { ...inner, guardedBy, ...Object.fromEntries(names.map((each) => [each, wrap(inner[each] as never)])) }
    }
    return { engine: wrapped }
  }, { calls: ['batch'], mayThrowRaw: true }) // biome-ignore format: a row

const ENGINES: readonly Plugin[] = [
  engine('every 3rd reply is lost', async (call, count, { fault }) => {
    const reply = await call()
    if (count % 3 === 0) throw fault()
    return reply
  }),
  engine('every 4th call fails', async (call, count, { fault }) => {
    if (count % 4 === 0) throw fault()
    return call()
  }),
  engine('the 5th call hangs', (call, count) => (count === 5 ? never() : call())),
  plugin('engine: budget of two runs', () => ({ runs: { maxCredits: 8 } }), { ...only('batch'), mayReject: true }),
  plugin('onPause: throws', (setting) => ({ runs: { onPause: throwing(setting) } }), only('batch')),
]

/** Everything that a caller may pass to the client. */
export const PLUGINS: readonly Plugin[] = [
  plugin('nothing', () => ({}), harmless),
  ...FETCH_PLUGINS,
  ...KEYS,
  ...OBSERVERS,
  ...SIGNALS,
  ...CHECKS,
  ...WEBHOOK_PLUGINS,
  ...LOOPS,
  ...ENGINES,
]
