import { getEventListeners } from 'node:events'
import { fixtures } from '@modelrun/contract/fixtures'
import { AbortedError, type CallOptions, type ModelRun, type ModelRunOptions } from 'modelrun'
import { expect, onTestFinished, test } from 'vitest'
import { type Script, startHostileServer } from './hostile-server.ts'
import { json, partial } from './server-responses.ts'
import { createTestClient, expectNoKey } from './test-client.ts'

const queued = json(202, fixtures.runs.queued.body)
const running = json(200, fixtures.jobs.processing.body)

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** How a call comes into a phase in which it waits. */
interface Setup {
  name: string
  script: (startCall: () => void) => Script
  options?: (startCall: () => void) => ModelRunOptions
  /** Default: an asynchronous run. */
  call?: (client: ModelRun, options: CallOptions, startCall: () => void) => Promise<unknown>
  submission: string
}

/** Starts the phase with the arrival of a request that never gets a response. */
const silent = (startCall: () => void) => [() => startCall()]

const SETUPS: readonly Setup[] = [
  { name: 'the head of the response', script: (startCall) => ({ POST: silent(startCall) }), submission: 'unknown' },
  {
    name: 'the body of the response',
    script: () => ({ POST: [partial(200, '{"status"', 'stall')] }),
    options: (startCall) => ({ fetch: (url, init) => fetch(url, init).finally(startCall) }),
    submission: 'unknown',
  },
  {
    name: 'the next poll',
    script: () => ({ GET: [running] }),
    options: () => ({ polling: { initialIntervalMs: 600_000, maxIntervalMs: 600_000 } }),
    call: (client, options, startCall) => client.jobs.attach('job_1').result({ ...options, onStatus: startCall }),
    submission: 'accepted',
  },
  {
    name: 'the response to a poll',
    script: (startCall) => ({ POST: [queued], GET: silent(startCall) }),
    options: () => ({ polling: { initialIntervalMs: 1 } }),
    submission: 'accepted',
  },
]

test.each(SETUPS)(
  'an abort while a run waits for $name settles at once, with the submission $submission',
  async (setup) => {
    let start = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const server = await startHostileServer(setup.script(start))
    onTestFinished(() => server.close())
    const client = createTestClient(server.url, setup.options?.(start))
    const controller = new AbortController()
    const { signal } = controller
    const call =
      setup.call ?? ((one, options) => one.run('aurora-image', { prompt: 'x' }, { ...options, mode: 'async' }))
    const ending = call(client, { timeoutMs: 600_000, signal }, start).catch((error: unknown) => error)
    await started
    // What follows the start without any input or output runs before the second turn of the event loop.
    await turn()
    await turn()

    controller.abort(new Error('enough'))
    const error = await ending
    if (!(error instanceof AbortedError)) throw error
    expect(error).toMatchObject({ submission: setup.submission, cause: { message: 'enough' } })
    expect(error.job !== undefined).toBe(setup.submission === 'accepted')
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expectNoKey(error)
  },
)
