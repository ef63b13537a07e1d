import { ConnectionError } from 'modelrun'
import { expect, test, vi } from 'vitest'
import { type Batch, MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'

useVirtualTime()

test('a run is sent only at the price that was agreed to, and again when a higher one is', async () => {
  const { runs, sent } = await openBatch()
  runs.start()
  const runAt = async (maxCredits: number) => {
    await runs.add('a', MODEL, { prompt: 'a' }, { maxCredits })
    for await (const { state, error } of runs.results()) last = { state, error, sent: sent.length }
    return last
  }
  let last: object | undefined
  const rejected = { state: 'rejected', error: { code: 'budget_exceeded' }, sent: 0 }
  expect(await settled(runAt(3))).toMatchObject(rejected)
  expect(await settled(runAt(3))).toMatchObject(rejected)
  // Another run of the same key is rejected, and does not agree to a price for this one.
  await expect(settled(runs.add('a', MODEL, { prompt: 'b' }, { maxCredits: 4 }))).rejects.toThrow('another run')
  expect(await settled(runAt(3))).toMatchObject(rejected)
  expect(await settled(runAt(4))).toMatchObject({ state: 'succeeded', sent: 1 })
  expect(await settled(runAt(5))).toMatchObject({ state: 'succeeded', sent: 1 })
  await settled(runs.stop())
})

test.each(['send', 'add', 'runEach'] as const)('the limit of a later %s counts, while the run waits', async (call) => {
  for (const [first, maxCredits, end] of [
    [undefined, 3, 'rejected'],
    [100, 3, 'rejected'],
    [3, 4, 'running'],
    [4, undefined, 'running'],
  ] as const) {
    const { runs, sent } = await openBatch()
    const input = { prompt: 'a' }
    await settled(runs.add('a', MODEL, input, { maxCredits: first }))
    if (call === 'send') await settled(runs.send('a', MODEL, input, { maxCredits }))
    if (call === 'add') await settled(runs.add('a', MODEL, input, { maxCredits }))
    const loop = runs.runEach(MODEL, [{ key: 'a', input, maxCredits }])
    if (call === 'runEach') await settled(loop.next())
    await settled(runs.sweep({ forMs: 1_000 }))
    const { state } = await settled(runs.read('a'))
    expect([sent.length, state === 'succeeded' ? 'running' : state]).toEqual([end === 'rejected' ? 0 : 1, end])
    const item = { key: 'b', input, max_credits: 3 }
    const misspelt = runs.runEach(MODEL, [item as { key: string; input: object }])
    await expect(settled(misspelt.next())).rejects.toThrow('did you mean `maxCredits`')
  }
})

const error = { code: 'X', message: 'x', job_id: 'job_9' }
const fault = { kind: 'response', body: { error }, times: 1 } as const
const accepted = new ConnectionError({ message: 'reset', submission: 'accepted', jobId: 'job_9' })
const rejects = (reason: unknown) => (batch: Batch) => vi.spyOn(batch.client, 'submit').mockRejectedValue(reason)

test.each<[string, (batch: Batch) => unknown, [end: object, deliveries: number]]>([
  [
    'whose client throws anything',
    rejects(5),
    [{ state: 'unknown', error: { message: expect.stringMatching(/: 5$/) } }, 0],
  ],
  ['whose error has its job', rejects(accepted), [{ state: 'running', jobId: 'job_9' }, 0]],
  [
    'whose rejection names a job, which may be that of another run',
    ({ server }) => server.faults.add({ ...fault, route: 'runModel', status: 409 }),
    [{ state: 'unknown', error: { message: expect.stringContaining('job_9') } }, 0],
  ],
  [
    'of a model that its key does not show',
    ({ server }) => server.faults.add({ ...fault, route: 'getModel', status: 404 }),
    [{ state: 'running' }, 1],
  ],
])('a run %s', async (_, prepare, [end, deliveries]) => {
  const batch = await openBatch()
  prepare(batch)
  const deliver = vi.fn(async () => new Response())
  batch.server.webhooks.deliver(deliver)
  const webhookUrl = 'https://app.example.com/hint'
  expect(await settled(batch.runs.send('a', MODEL, { prompt: 'a' }, { webhookUrl }))).toMatchObject(end)
  await pass(5_000)
  expect(deliver).toHaveBeenCalledTimes(deliveries)
})

test('a price that could not be read is read again for the next run', async () => {
  const { runs, outage } = await openBatch()
  Object.assign(outage, { status: 500, method: 'GET' })
  expect(await settled(runs.send('a', MODEL, { prompt: 'a' }))).toMatchObject({ state: 'waiting' })
  outage.status = undefined
  expect(await settled(runs.send('b', MODEL, { prompt: 'b' }))).toMatchObject({ state: 'running' })
})
