import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRuns, type Engine, type Runs, type RunsOptions } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { listen } from '@modelrun/reference-server/node'
import {
  ConfigurationError,
  DurableRunError,
  isDurableRunError,
  JobFailedError,
  ModelRun,
  type RunManyOptions,
  type SettledRun,
} from 'modelrun'
import { afterEach, describe, expect, it } from 'vitest'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'

const MODEL = 'aurora-image'
const PROGRAM = fileURLToPath(new URL('./many-process.ts', import.meta.url))
const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Process {
  server: CheckedServer
  client: ModelRun
  runs: Runs
  engine: Engine
}

/** A process of the batch; `other` shares its server and its store. */
async function setUp(
  options: Partial<RunsOptions> & { latency?: number; path?: string; other?: Process } = {},
): Promise<Process> {
  const { latency = 0, path = ':memory:', other, ...rest } = options
  const server = other?.server ?? createCheckedServer({ clock: 'system', latency })
  const engine = createSqliteEngine({ path, pollMs: 20 })
  await engine.setup()
  const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
  const runs = createRuns({ engine, client, pollRate: { max: 1_000, perMs: 1_000 }, ...rest })
  cleanUps.push(() => engine.close())
  if (other === undefined) cleanUps.unshift(() => server.close())
  return { server, client, runs, engine }
}

async function sharedFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-many-'))
  cleanUps.unshift(() => rm(folder, { recursive: true }))
  return join(folder, 'runs.db')
}

const prompts = (count: number) => Array.from({ length: count }, (_, index) => ({ prompt: `fox ${index}` }))

async function collect<I>(runs: AsyncIterable<SettledRun<I>>): Promise<SettledRun<I>[]> {
  const found: SettledRun<I>[] = []
  for await (const run of runs) found.push(run)
  return found
}

function countPosts(server: CheckedServer): number {
  const entries = server.journal.entries({ kind: 'request' })
  return entries.filter((entry) => entry.kind === 'request' && entry.route === 'runModel').length
}

describe('runMany with durable', () => {
  it('yields each input with its result, and the same call sends nothing again', async () => {
    const { server, client, runs } = await setUp()
    const inputs = [...prompts(5), { prompt: 'fox 0' }] // an input twice is two runs
    const first = await collect(client.runMany(MODEL, inputs, { durable: runs }))
    expect(first.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect(first.every(({ index, input }) => input === inputs[index])).toBe(true)
    expect(new Set(first.map(({ job_id }) => job_id)).size).toBe(6)
    expect(first[0]).toMatchObject({ status: 'fulfilled', value: { status: 'succeeded', model_id: MODEL } })
    expect(first[0]?.status === 'fulfilled' && first[0].value.output.items[0]?.url).toMatch(/\.png$/)

    const before = server.credits()
    const second = await collect(client.runMany(MODEL, inputs, { durable: runs }))
    const jobs = (settled: typeof first) => settled.map(({ index, job_id }) => `${index} ${job_id}`).toSorted()
    expect(jobs(second)).toEqual(jobs(first))
    expect([countPosts(server), server.credits()]).toEqual([6, before])
  })

  it('takes the members of an input in any order for the same run', async () => {
    const { server, client, runs } = await setUp()
    await collect(client.runMany(MODEL, [{ prompt: 'fox', num_images: 2 }], { durable: runs }))
    await collect(client.runMany(MODEL, [{ num_images: 2, prompt: 'fox' }], { durable: runs }))
    expect(countPosts(server)).toBe(1)
  })

  it('yields the runs of its own call alone, and those that another process works', async () => {
    const path = await sharedFile()
    const here = await setUp({ path })
    const there = await setUp({ path, other: here })
    await there.runs.add('other', MODEL, { prompt: 'not of this call' })
    there.runs.start()
    const found = await collect(here.client.runMany(MODEL, prompts(20), { durable: here.runs, concurrency: 5 }))
    expect(found.map(({ input }) => input.prompt).toSorted()).toEqual(
      prompts(20)
        .map(({ prompt }) => prompt)
        .toSorted(),
    )
    await there.runs.stop()
    expect(countPosts(here.server)).toBe(21)
  })

  it('continues where a loop was left, and sends nothing twice', async () => {
    const path = await sharedFile()
    const here = await setUp({ path, concurrency: 3, latency: 30 })
    for await (const { status } of here.client.runMany(MODEL, prompts(12), { durable: here.runs })) {
      expect(status).toBe('fulfilled')
      break
    }
    const sent = countPosts(here.server)
    // Nothing is sent after the loop.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(countPosts(here.server)).toBe(sent)
    await here.engine.close()

    const there = await setUp({ path, other: here })
    const found = await collect(there.client.runMany(MODEL, prompts(12), { durable: there.runs }))
    expect(found.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'fulfilled'))
    expect(countPosts(here.server)).toBe(12)
  })

  it('ends with AbortedError when its signal aborts, and keeps the runs', async () => {
    const { server, client, runs } = await setUp({ latency: 50 })
    const controller = new AbortController()
    const loop = collect(client.runMany(MODEL, prompts(3), { durable: runs, signal: controller.signal }))
    while ((await runs.progress()).total < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort(new Error('enough'))
    await expect(loop).rejects.toMatchObject({ name: 'AbortedError', cause: { message: 'enough' } })
    expect(await collect(client.runMany(MODEL, prompts(3), { durable: runs }))).toHaveLength(3)
    expect(countPosts(server)).toBe(3)
  })

  it('yields a run that may have been accepted with an error that says so, and does not send it again', async () => {
    const { server, client, runs } = await setUp()
    server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    for (let call = 0; call < 2; call += 1) {
      const found = await collect(client.runMany(MODEL, prompts(1), { durable: runs }))
      expect(found).toMatchObject([{ index: 0, status: 'rejected', reason: { submission: 'unknown' } }])
      const [run] = found
      expect(run?.status === 'rejected' && isDurableRunError(run.reason) && run.reason.message).toMatch(
        /may have been accepted.*`resolve` or `resubmit`/,
      )
    }
    expect(countPosts(server)).toBe(1)
    const [unknown] = await runs.unknown()
    expect(await runs.resubmit(String(unknown?.key))).toBe(true)
    expect(await collect(client.runMany(MODEL, prompts(1), { durable: runs }))).toMatchObject([{ status: 'fulfilled' }])
  })

  it('yields what failed and what was rejected with errors of their own', async () => {
    const { server, client, runs } = await setUp({ maxCredits: 4 })
    server.script(MODEL, [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of paint' } }])
    const inputs = [{ prompt: 'fails' }, { prompt: new Date(0), file: new Uint8Array(1) }]
    const [rejected, failed] = await collect(client.runMany(MODEL, inputs, { durable: runs }))
    expect(rejected).toMatchObject({ index: 1, reason: { name: 'InputValidationError' }, job_id: undefined })
    expect(failed?.status === 'rejected' && failed.reason).toBeInstanceOf(JobFailedError)
    const [tooDear] = await collect(client.runMany(MODEL, [{ prompt: 'more' }], { durable: runs }))
    expect(tooDear?.status === 'rejected' && tooDear.reason).toBeInstanceOf(DurableRunError)
    expect(tooDear).toMatchObject({ reason: { submission: 'rejected', reason: { code: 'BUDGET_EXCEEDED' } } })
  })

  it('takes keys, and rejects an input whose key is that of another', async () => {
    const { server, client, runs } = await setUp()
    const durable = { durable: runs, keyOf: ({ prompt }: { prompt: string }) => prompt }
    const inputs = ['fox', 'fox', 'hare'].map((prompt) => ({ prompt }))
    const found = await collect(client.runMany(MODEL, inputs, durable))
    expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect(countPosts(server)).toBe(2)
    expect(await runs.get('hare')).toMatchObject({ state: 'succeeded' })
    const changed = await collect(client.runMany(MODEL, prompts(1), { durable: runs, keyOf: () => 'hare' }))
    expect(changed).toMatchObject([{ status: 'rejected', reason: { name: 'ConfigurationError' } }])
    expect(countPosts(server)).toBe(2)
  })

  it('continues after its process was killed, and sends nothing twice', async () => {
    const path = await sharedFile()
    const here = await setUp({ path, latency: 30, lockMs: 1_000 })
    const { server } = here
    const listening = await listen(server, { port: 0 })
    const { baseUrl, apiKey } = server
    const settings = { engineAt: { kind: 'sqlite', at: path }, baseUrl, apiKey, count: 40, model: MODEL, lockMs: 1_000 }
    const child = spawn(process.execPath, ['--conditions=@modelrun/source', PROGRAM, JSON.stringify(settings)])
    while (countPosts(server) < 5) await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGKILL')
    await once(child, 'exit')

    const found = await collect(here.client.runMany(MODEL, prompts(40), { durable: here.runs }))
    expect(found.map(({ index }) => index).toSorted((one, other) => one - other)).toEqual(
      Array.from(prompts(40).keys()),
    )
    for (const run of found) if (run.status === 'rejected') expect(run.reason).toMatchObject({ submission: 'unknown' })
    // Only what was being sent can be unknown.
    expect(found.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(10)
    const sent = server.journal
      .entries({ kind: 'request' })
      .filter((one) => one.kind === 'request' && one.route === 'runModel')
    const bodies = sent.map((entry) => (entry.kind === 'request' ? entry.requestBody : ''))
    expect(new Set(bodies).size).toBe(bodies.length)
    await listening.close()
  }, 60_000)

  it('notifies of each end', async () => {
    const { client, runs } = await setUp()
    const steps: unknown[] = []
    await collect(
      client.runMany(MODEL, prompts(2), {
        durable: runs,
        onProgress: ({ step, settled }) => steps.push([step, settled]),
      }),
    )
    expect(steps).toEqual([
      ['fulfilled', 1],
      ['fulfilled', 2],
    ])
  })

  it.each<[RunManyOptions, RegExp]>([
    [{ maxCredits: 1 }, /`maxCredits` of `client.runMany` does not go together with `durable`/],
    [{ webhook: webhookStub() }, /`webhook` .* does not go together/],
    [{ stopOnError: true }, /`stopOnError` .* does not go together/],
    [{ timeoutMs: 1 }, /`timeoutMs` .* does not go together/],
  ])('rejects an option that the batch has itself: %o', async (options, message) => {
    const { client, runs } = await setUp()
    expect(() => client.runMany(MODEL, prompts(1), { durable: runs, ...options })).toThrow(ConfigurationError)
    expect(() => client.runMany(MODEL, prompts(1), { durable: runs, ...options })).toThrow(message)
    expect(() => client.runMany(MODEL, prompts(1), { keyOf: () => 'a' })).toThrow(/`keyOf` .* needs `durable`/)
  })
})

function webhookStub() {
  const none = async () => {}
  return { prepare: async () => ({ url: '', ref: '' }), expect: none, forget: none, listen: () => () => {} }
}
