import { describe, expect, it, test } from 'vitest'
import { type Batch, MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import type { RunsOptions } from './runs-options.ts'

useVirtualTime()

const sweep = ({ runs }: Batch) => runs.sweep()
const poll = ({ runs }: Batch) => runs.read('a', { isHinted: true })
const cancel = ({ runs }: Batch) => runs.cancel('a')
const takePlace = ({ engine }: Batch) => engine.reserve('runs:places', 'b', { amount: 1 })
const freePlace = ({ engine }: Batch) => engine.release('runs:places', 'b')
const RESPONSE = {
  kind: 'response',
  route: 'runModel',
  body: { error: { code: 'NO', message: 'no' } },
  times: 1,
} as const
const becomes = (result: 'hang' | 'failed') => (batch: Batch) => batch.server.script(MODEL, [{ result }])
const respond = (status: number) => (batch: Batch) => batch.server.faults.add({ ...RESPONSE, status })

const FAILED = 'Of its last job'

/** Each way in which a resubmit brings no success, the reason that the run then has, and the steps. */
const UNSUCCESSFUL: readonly [string, string, ...((batch: Batch) => unknown)[]][] = [
  ['is above the limit', 'more than is left', ({ reopen }) => reopen({ maxCredits: 4 }).sweep()],
  ['is rejected', 'HTTP 400', respond(400), sweep],
  ['is cancelled in a pause', 'cancelled', ({ runs }) => runs.pause(), cancel],
  ['is cancelled with all', 'cancelled', ({ runs }) => runs.cancelAll()],
  ['is cancelled while no key is valid', 'cancelled', respond(401), sweep, cancel],
  ['is cancelled without a place', 'cancelled', takePlace, sweep, cancel, freePlace],
  ['has a job that is cancelled', 'The job was cancelled', becomes('hang'), sweep, cancel],
  ['has a job that fails', FAILED, becomes('failed'), sweep, poll],
  ['is half cancelled', 'cancelled', ({ engine }) => engine.add('runs:cancels', 'a', { data: null }), sweep],
]

const WEBHOOKS = { publicUrl: 'https://app.example.com/webhooks', secret: 'a secret of thirty-two bytes, or more' }

/** Opens a batch with a run whose response was lost. Its job continues. */
async function openUnknown(options: Partial<RunsOptions>) {
  const batch = await openBatch({ maxRunning: 1, ...options })
  const { server, runs } = batch
  server.webhooks.deliver((request) => runs.inbox?.handle(request) ?? Promise.reject(new Error('no inbox')))
  server.script(MODEL, [{ result: 'hang' }])
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await settled(runs.send('a', MODEL, { prompt: 'a' }))
  const [{ job_id: jobId = '' } = {}] = server.requests({ route: 'runModel' })
  return { ...batch, jobId }
}

describe.each(UNSUCCESSFUL)('an unknown run whose resubmit %s', (_, reason, ...steps) => {
  it.each(['resolve', 'delivery', 'resubmit'])('stays unknown, until a %s ends it', async (by) => {
    const batch = await openUnknown(by === 'delivery' ? { webhooks: WEBHOOKS } : {})
    const { server, runs, sent, jobId } = batch
    expect(await settled(runs.resubmit('a'))).toBe(true)
    for (const step of steps) await settled(Promise.resolve(step(batch)))
    const [unknown, ...others] = await settled(runs.unknown())
    expect([unknown?.error?.message, others]).toEqual([expect.stringContaining(reason), []])
    expect(await settled(runs.cancel('a'))).toBe('unknown')
    const { credits, ...counts } = await settled(runs.progress())
    expect(counts).toMatchObject({ total: 1, unknown: 1, done: 0, waiting: 0 })
    // What a job that failed costs is not specified.
    const costs = reason === FAILED ? 8 : 4
    expect(credits).toBe(costs)
    const posts = sent.length
    const isAgain = by === 'resubmit'
    if (by === 'resolve') expect(await settled(runs.resolve('a', { jobId }))).toBe(true)
    if (isAgain) expect(await settled(runs.resubmit('a', { lostJob: unknown?.jobId }))).toBe(true)
    else server.job(jobId).complete()
    await settled(runs.resume())
    runs.start()
    await pass(70_000)
    expect(await settled(runs.get('a'))).toMatchObject({ state: 'succeeded', ...(isAgain ? {} : { jobId }) })
    expect(await settled(runs.progress())).toMatchObject({
      succeeded: 1,
      unknown: 0,
      credits: credits + (isAgain ? 4 : 0),
    })
    expect(sent.length - posts).toBe(isAgain ? 1 : 0)
    await settled(runs.stop())
  })
})

test('a run that was sent again ends as the job that a person has named, also when that is cancelled', async () => {
  const batch = await openUnknown({})
  const { runs, jobId } = batch
  expect(await settled(runs.resubmit('a'))).toBe(true)
  respond(400)(batch)
  expect(await settled(runs.sweep())).toMatchObject({ unknown: 1 })
  expect(await settled(runs.resolve('a', { jobId }))).toBe(true)
  expect(await settled(runs.cancel('a'))).toBe('cancelled')
  expect(await settled(runs.progress())).toMatchObject({ unknown: 0, cancelled: 1 })
})

test('the late delivery of a run that was deleted is not that of the next one of its key', async () => {
  const { server, runs, jobId } = await openUnknown({ webhooks: WEBHOOKS })
  expect(await settled(runs.delete({ all: true }))).toEqual({ deleted: 1, kept: 0 })
  server.script(MODEL, [{ result: 'hang' }])
  const next = await settled(runs.send('a', MODEL, { prompt: 'b' }))
  server.job(jobId).complete()
  runs.start()
  await pass(5_000)
  expect(await settled(runs.get('a'))).toMatchObject({ state: 'running', jobId: next.jobId })
  await settled(runs.stop())
})
