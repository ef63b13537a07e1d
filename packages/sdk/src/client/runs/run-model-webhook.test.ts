import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError, ModelRunError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { broken, errorResponse, json, type Step, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { ConnectionError } from '../errors/transport-errors.ts'
import type { ResultReceiver, RunOptions } from './run-options.ts'

const accepted = json(202, fixtures.runs.processingWebhook.body)
const { job_id } = fixtures.runs.processingWebhook.body
const running = json(200, fixtures.jobs.processing.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)
const event: Job = { ...fixtures.jobs.succeeded.body.data, credits_used: 4 } as Job

/** A receiver that records its calls, and delivers what a test gives it. */
function createReceiver() {
  const calls: unknown[] = []
  const listeners = new Set<(event: Job) => void>()
  const receiver: ResultReceiver = {
    prepare: async (run) => {
      calls.push(['prepare', run])
      return { url: 'https://hooks.example.com/modelrun?token=1', ref: 'ref_1' }
    },
    expect: async (...run) => void calls.push(['expect', ...run]),
    forget: async (ref) => void calls.push(['forget', ref]),
    listen: (_, listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const deliver = (delivered: Job) => {
    for (const listener of listeners) listener(delivered)
  }
  return { receiver, calls, listeners, deliver }
}

function startRun(steps: readonly Step[], options: RunOptions = {}) {
  const harness = createTestClient(steps)
  const webhook = createReceiver()
  const run = harness.client.run('aurora-image', { prompt: 'a fox' }, { webhook: webhook.receiver, ...options })
  return { ...harness, ...webhook, run }
}

describe('a run with a webhook receiver (section 4.3)', () => {
  test('is sent with the url of the receiver, which is called before and after', async () => {
    const { run, calls, service, deliver } = startRun([accepted])
    await settle()
    expect(service.received[0]?.body).toEqual({
      input: { prompt: 'a fox' },
      sync: false,
      webhook_url: 'https://hooks.example.com/modelrun?token=1',
    })
    expect(calls).toEqual([
      ['prepare', { modelId: 'aurora-image' }],
      ['expect', job_id, { ref: 'ref_1', modelId: 'aurora-image', firstState: { status: 'processing' } }],
    ])
    deliver(event)
    await run
  })

  test('resolves by the delivery, without a poll, and listens no longer', async () => {
    const { run, service, deliver, listeners, clock } = startRun([accepted, running])
    await settle()
    deliver(event)
    await expect(run).resolves.toMatchObject({ job_id, status: 'succeeded', credits_used: 4 })
    expect(service.received).toHaveLength(1)
    expect(listeners.size).toBe(0)
    expect(clock.timerCount).toBe(0)
  })

  test('resolves by a slow poll when the delivery is lost', async () => {
    const { run, service, clock, listeners } = startRun([accepted, running, succeeded])
    await expect(clock.run(run)).resolves.toMatchObject({ job_id, status: 'succeeded' })
    expect(service.times()).toEqual([0, 15_000, 30_000])
    expect(listeners.size).toBe(0)
  })

  test('does not end by a delivery of an unknown status', async () => {
    const states: string[] = []
    const onStatus: RunOptions['onStatus'] = ({ status }) => states.push(status)
    const { run, deliver, clock } = startRun([accepted, succeeded], { onStatus })
    await settle()
    deliver({ status: 'unknown' })
    await expect(clock.run(run)).resolves.toMatchObject({ status: 'succeeded' })
    expect(states).toEqual(['processing', 'succeeded'])
  })

  test('resolves at once by a delivery that came before the response to the run, and listens no longer', async () => {
    const { client } = createTestClient([accepted])
    const { receiver, listeners } = createReceiver()
    const listen: ResultReceiver['listen'] = (jobId, listener) => {
      const stop = receiver.listen(jobId, listener)
      listener(event)
      return stop
    }
    const run = client.run('aurora-image', { prompt: 'a fox' }, { webhook: { ...receiver, listen } })
    await expect(run).resolves.toMatchObject({ job_id, status: 'succeeded' })
    expect(listeners.size).toBe(0)
  })

  test.each([
    ['not sent', unconnected('ECONNREFUSED')],
    ['rejected', errorResponse(422, 'INVALID')],
  ])('that was %s is forgotten', async (_, step) => {
    const { run, calls, clock } = startRun([step])
    await caught(clock.run(run), ModelRunError)
    expect(calls.at(-1)).toEqual(['forget', 'ref_1'])
  })

  test('whose response was lost stays known: its delivery will name the job', async () => {
    const { run, calls } = startRun([broken('ECONNRESET')])
    expect(await caught(run, ConnectionError)).toMatchObject({ submission: 'unknown' })
    expect(calls).toHaveLength(1)
  })

  test('stops listening when the wait is aborted', async () => {
    const { client } = createTestClient([accepted, running])
    const { receiver, listeners } = createReceiver()
    const error = await aborted((signal) => client.run('aurora-image', {}, { webhook: receiver, signal }))
    expect([error.jobId, listeners.size]).toEqual([job_id, 0])
  })

  test('takes no `webhookUrl` besides', async () => {
    const { client, service } = createTestClient([accepted])
    const options = { webhook: createReceiver().receiver, webhookUrl: 'https://hooks.example.com' }
    await caught(client.run('aurora-image', { prompt: 'a fox' }, options), ConfigurationError)
    expect(service.received).toHaveLength(0)
  })
})

test('a loop that is left listens no longer to the webhooks of its runs', async () => {
  const { client, clock } = createTestClient([accepted, accepted, running, succeeded])
  const { receiver, listeners } = createReceiver()
  const loop = client.runMany('northlight-1', [{ prompt: 'a' }, { prompt: 'b' }], { webhook: receiver })
  const first = loop.next()
  await settle()
  const [one, other] = listeners
  expect(other).toBeDefined()
  one?.(event)
  await clock.run(first)
  await clock.run(loop.return())
  expect(listeners.size).toBe(0)
})
