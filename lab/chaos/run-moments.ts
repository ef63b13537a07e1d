import { setTimeout as sleep } from 'node:timers/promises'
import { createRuns, type Runs } from '@modelrun/durable'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { jobOf, posts } from '../../packages/integration-tests/src/durable/sent-runs.ts'
import { LOCK_MS } from './settings.ts'
import { MOMENTS, type Moment, openStoreMoments } from './store-moments.ts'
import type { ChaosStore } from './stores.ts'

export interface MomentsResult {
  cases: number
  /** Runs whose process died while it sent them. */
  unknown: number
  /** What must never happen. */
  broken: string[]
}

const MODEL = 'aurora-image'
const PRICE = 4
const KEYS = ['a', 'b', 'c']
const PATIENCE_MS = 120_000

/** Lets something happen at each request to a store in turn, of a small batch that then has to end. */
export async function runMoments(store: ChaosStore, { every, first = 1 }: { every: number; first?: number }) {
  const result: MomentsResult = { cases: 0, unknown: 0, broken: [] }
  for (const moment of [...MOMENTS, 'store crashes'] as const) {
    for (let at = first; await runCase(store, { moment, at }, result); at += every);
  }
  return result
}

interface Case {
  moment: Moment | 'store crashes'
  at: number
}

/** Resolves to whether the batch made so many requests. */
async function runCase({ engineAt, crash }: ChaosStore, { moment, at }: Case, result: MomentsResult): Promise<boolean> {
  const name = `${moment} ${at}`
  const url = new URL(engineAt.at)
  const proxy = await openStoreMoments(Number(url.port))
  const server = createReferenceServer({ clock: 'system', latency: 40 })
  const { close } = await listen(server, { port: 0 })
  const { apiKey, baseUrl } = server
  let count = 0
  let isDead = false
  proxy.onRequest = async () => {
    count += 1
    if (isDead) return 'dies'
    if (count !== at) return undefined
    isDead = moment === 'dies'
    if (moment !== 'store crashes') return moment
    await crash?.()
    return undefined
  }
  const open = (port: string | number, isAlive: () => boolean) => {
    const fetch: typeof globalThis.fetch = (...given) =>
      isAlive() ? globalThis.fetch(...given) : new Promise(() => {})
    const client = new ModelRun({ apiKey, baseUrl, maxRetries: 0, fetch })
    const own = Object.assign(new URL(url), { port: String(port) }).href
    const engine = openEngine({ ...engineAt, at: own }, () => {})
    return { engine, runs: createRuns({ engine, client, name, lockMs: LOCK_MS, maxCredits: 100, onError: () => {} }) }
  }
  const proxied = open(proxy.port, () => !isDead)
  const other = open(url.port, () => true)
  const broken = (what: string) => result.broken.push(`${name}: ${what}`)
  try {
    await other.engine.setup()
    proxied.runs.start()
    await Promise.all(KEYS.map((key) => addUntilStored(proxied.runs, key, () => isDead)))
    for (const key of KEYS) await addUntilStored(other.runs, key, () => false)
    // Another process continues where one has died.
    await untilEnded(other.runs, () => isDead && other.runs.start())
    const unknown = await other.runs.unknown()
    result.unknown += unknown.length
    if (moment !== 'dies' && unknown.length > 0)
      broken(`unknown: ${unknown.map(({ error }) => error?.message).join(', ')}`)
    const { done, credits } = await other.runs.progress()
    if (done + unknown.length !== KEYS.length || credits !== KEYS.length * PRICE)
      broken(`${done} done, ${credits} credits`)
    for (const { key } of unknown) {
      const jobId = jobOf(server, key)
      await (jobId === undefined ? other.runs.resubmit(key) : other.runs.resolve(key, { jobId }))
    }
    other.runs.start()
    await untilEnded(other.runs)
    for (const key of KEYS) {
      const state = (await other.runs.get(key))?.state
      if (state !== 'succeeded' || posts(server)[key] !== 1) broken(`${key} ${state}, ${posts(server)[key]} POSTs`)
    }
  } catch (error) {
    broken(String(error))
  } finally {
    result.cases += 1
    await other.runs.stop()
    // First: a pool waits for its silent connections.
    await proxy.close()
    await Promise.all([other.engine.close(), proxied.engine.close().catch(() => {}), close()])
  }
  return count >= at
}

/** As a program that repeats what rejected. */
async function addUntilStored(runs: Runs, key: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const isAdded = await runs.add(key, MODEL, { prompt: key }).then(
      () => true,
      () => false,
    )
    if (isAdded) return
    await sleep(50)
  }
}

async function untilEnded(runs: Runs, onWait: () => unknown = () => {}): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
    const progress = await runs.progress().catch(() => undefined)
    if (progress?.total === KEYS.length && progress.waiting + progress.running === 0) return
    if (performance.now() > giveUpAt) throw new Error(`It has not ended: ${JSON.stringify(progress)}`)
    onWait()
    await sleep(50)
  }
}
