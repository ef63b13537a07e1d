import type { FetchInit } from 'modelrun'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Network } from './acts.ts'
import type { Evidence, Outcome, Promised } from './evidence.ts'
import { judge } from './judges.ts'
import { Lag } from './lag.ts'
import { NETWORKS } from './networks.ts'
import type { Call, Plugged, Plugin, Setting } from './plugin.ts'
import { runCell } from './run-cell.ts'
import { type Service, startService } from './service.ts'

let service: Service
const lag = new Lag()

beforeAll(async () => {
  service = await startService()
})

afterAll(async () => {
  lag.stop()
  await service.close()
})

const networkOf = (name: string): Network => {
  const network = NETWORKS.find((each) => each.name === name)
  if (network === undefined) throw new Error(`No network is ${name}.`)
  return network
}

const brokenIn = (evidence: Evidence): Promised[] => [...new Set(judge(evidence).map(({ promise }) => promise))].toSorted() // biome-ignore format: a row

/** A client that breaks a promise, as a plug-in. */
const sabotage = (plug: (setting: Setting) => Plugged, flags: Partial<Plugin> = {}): Plugin => ({ name: 'sabotage', plug, isHarmless: true, ...flags }) // biome-ignore format: a row

/** A client whose requests or responses are changed. */
const changed = (change: (url: string, init: FetchInit) => Promise<Response>): Plugin =>
  sabotage(() => ({ client: { fetch: change } }))

const withText = (change: (text: string) => string): Plugin =>
  changed(async (url, init) => {
    const response = await fetch(url, init)
    return new Response(change(await response.text()), response)
  })

const twice = changed(async (url, init) => {
  if (init.method === 'POST') await fetch(url, init)
  return fetch(url, init)
})
const stopped = sabotage(() => ({
  client: { clock: { now: () => performance.now(), setTimeout: () => 0, clearTimeout: () => {} } },
}))
const listening = sabotage(({ signal }) => {
  signal.addEventListener('abort', () => {})
  return {}
})

interface Sabotage {
  client: string
  plugin: Plugin
  network: string
  call: Call
  expected: Promised[]
}
const row = (client: string, plugin: Plugin, [network, call, ...expected]: [string, Call, ...Promised[]]): Sabotage => ({ client, plugin, network, call, expected }) // biome-ignore format: a row

test.each([
  row('sends a run twice', twice, ['good, 202 only', 'async', 'harmless', 'once']),
  row('never ends', stopped, ['run: headers hang', 'async', 'time']),
  row(
    'forgets the id',
    withText((text) => text.replace('"job_id"', '"number"')),
    ['good, 202 only', 'async', 'id'],
  ),
  row(
    'changes the result',
    withText((text) => text.replace('/0.png', '/1.png')),
    ['good', 'sync', 'result'],
  ),
  row('leaves a listener', listening, ['good', 'async', 'clean']),
  row('runs a batch twice', twice, ['good, 202 only', 'batch', 'books', 'once']),
])('notices a client that $client', async ({ plugin, network, call, expected }) => {
  // The short times of a cell pass on a busy machine: then it runs again.
  const broken = async () => brokenIn(await runCell(service, lag, { network: networkOf(network), plugin, call }))
  await expect.poll(broken).toEqual(expect.arrayContaining(expected))
})

const nothing: Plugin = { name: 'nothing', isHarmless: true, plug: () => ({}) }
const rejected = (evidence: Evidence, error: object): Outcome[] =>
  evidence.outcomes.map(({ key }) => ({ key, phase: 'run', status: 'rejected', ...error, reason: error }) as const)

test('notices evidence of each broken promise', async () => {
  const run = () => runCell(service, lag, { network: networkOf('good'), plugin: nothing, call: 'async' })
  let good = await run()
  while (judge(good).length > 0) good = await run() // the machine is busy
  const [job] = good.jobs
  const raw = new Error('raw')
  const lie = Object.assign(new Error('Nothing is charged.'), {
    [Symbol.for('modelrun.error')]: true,
    submission: 'not_sent',
    jobId: job?.id,
    attempts: [],
    isRetryable: true,
  })
  const changes: [Promised, Partial<Evidence>][] = [
    ['once', { posts: [...good.posts, ...good.posts] }],
    ['truth', { outcomes: rejected(good, lie) }],
    ['id', { outcomes: rejected(good, raw), settledAt: good.settledAt + 1_000 }],
    ['time', { isHung: true }],
    ['time', { lateMs: 1 }],
    ['ours', { outcomes: rejected(good, raw) }],
    ['result', { outcomes: [] }],
    ['result', { unreachable: ['job_1'] }],
    ['harmless', { outcomes: rejected(good, lie) }],
    ['books', { call: 'batch', rows: [{ key: 'fox', state: 'rejected' }] }],
    ['clean', { left: ['1 timers'] }],
  ]
  for (const [promise, change] of changes) expect(brokenIn({ ...good, ...change })).toContain(promise)
})
