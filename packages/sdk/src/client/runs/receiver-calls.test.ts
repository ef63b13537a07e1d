import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError, ModelRunError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { FAILURES, late } from '../../../test/failures.ts'
import { receiverOf } from '../../../test/receiver.ts'
import { errorResponse, json } from '../../../test/scripted-service.ts'
import { createTestClient, recordLog } from '../../../test/test-client.ts'
import { DeadlineExceededError, HookError } from '../errors/transport-errors.ts'
import type { RunOptions } from './run-options.ts'

const { job_id } = fixtures.runs.processingWebhook.body
const accepted = json(202, fixtures.runs.processingWebhook.body)
const running = json(200, fixtures.jobs.processing.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)

/** Each hook that a run calls, with a failure in its place. */
const HOOKS: Readonly<Record<string, (make: () => unknown) => RunOptions>> = {
  prepare: (make) => receiverOf({ prepare: make }),
  expect: (make) => receiverOf({ expect: make }),
  forget: (make) => receiverOf({ forget: make }),
  listen: (make) => receiverOf({ listen: make }),
  'the event of listen': (make) =>
    receiverOf({
      listen: (_: string, listener: (event: unknown) => void) => {
        const event = make()
        // A promise that rejects is of this test, and not of the client.
        Promise.resolve(event).catch(() => {})
        listener(event)
        return () => {}
      },
    }),
  'the end of listen': (make) => receiverOf({ listen: () => make }),
  onStatus: (make) => ({ onStatus: make as RunOptions['onStatus'] }),
}

const CALLS = ['run', 'run with a deadline', 'run with a signal', 'submit', 'submit with a signal'] as const
/** When the signal aborts, and when the deadline passes, in milliseconds. */
const [ABORT_MS, DEADLINE_MS] = [250, 500]

interface Cell {
  call: (typeof CALLS)[number]
  hook: string
  failure: string
  isAccepted: boolean
}

/** Makes the call of a cell, and checks what holds for each. */
async function runCell({ call, hook, failure, isAccepted }: Cell) {
  const first = isAccepted ? accepted : errorResponse(422, 'INVALID')
  const { client, clock, service } = createTestClient([first, running, succeeded])
  const { onStatus, ...options } = HOOKS[hook]?.(() => FAILURES[failure]?.(clock)) ?? {}
  const controller = new AbortController()
  if (call.endsWith('signal')) {
    clock.setTimeout(() => controller.abort(), ABORT_MS)
    options.signal = controller.signal
  }
  if (call.endsWith('deadline')) options.deadlineMs = DEADLINE_MS
  const isRun = call.startsWith('run')
  const input = { prompt: 'a fox' }
  const [outcome] = await Promise.allSettled([
    clock.run(
      isRun
        ? client.run('aurora-image', input, { ...options, onStatus })
        : client.submit('aurora-image', input, options).then(({ id }) => ({ job_id: id })),
    ),
  ])
  const posts = service.received.filter(({ method }) => method === 'POST').length
  return { outcome, posts, elapsedMs: clock.elapsedMs() }
}

function check(cell: Cell, { outcome, posts, elapsedMs }: Awaited<ReturnType<typeof runCell>>): void {
  const { call, hook, isAccepted } = cell
  const name = JSON.stringify(cell)
  const isLimited = call === 'run with a deadline' ? DEADLINE_MS : call === 'run with a signal' ? ABORT_MS : 120_000
  expect(elapsedMs, name).toBeLessThanOrEqual(isLimited)
  expect(posts, name).toBeLessThanOrEqual(1)
  if (outcome.status === 'fulfilled') {
    expect(outcome.value.job_id, name).toBe(job_id)
    return
  }
  const error: ModelRunError = outcome.reason
  expect(error instanceof ModelRunError, `${name}: ${String(error)}`).toBe(true)
  if (posts === 0) expect(error.submission, name).toBe('not_sent')
  else if (!isAccepted) expect(error.submission, name).toBe('rejected')
  else expect([error.submission, error.jobId], name).toEqual(['accepted', job_id])
  // No caller has ended the call, and the hook is not needed for its result.
  expect(isAccepted && hook !== 'prepare' && (call === 'run' || call.startsWith('submit')), name).toBe(false)
}

describe.each(Object.keys(HOOKS))('the hook %s', (hook) => {
  test.each(CALLS)('can neither hold nor lose a %s', async (call) => {
    for (const failure of Object.keys(FAILURES)) {
      for (const isAccepted of [true, false]) {
        const cell = { call, hook, failure, isAccepted }
        check(cell, await runCell(cell))
      }
    }
  })
})

describe('a receiver that cannot prepare', () => {
  const call = async (failure: string, options: RunOptions = {}) => {
    const { client, clock, service } = createTestClient([accepted])
    const plugged = receiverOf({ prepare: () => FAILURES[failure]?.(clock) })
    const error = await caught(clock.run(client.run('aurora-image', {}, { ...plugged, ...options })), Error)
    expect(service.received).toEqual([])
    return error
  }

  test('is named by the error, whose cause is its own', async () => {
    const error = await call('throws an error')
    expect(error).toBeInstanceOf(HookError)
    expect(error).toMatchObject({ submission: 'not_sent', isRetryable: true, cause: expect.any(RangeError) })
    expect(error.message).toBe('`webhook.prepare` failed: RangeError: the store is down. Nothing was sent.')
  })

  test('ends the run by the limit that comes first', async () => {
    expect((await call('never settles')).message).toContain('did not return within timeoutMs (30000 ms)')
    const error = await call('never settles', { deadlineMs: 20 })
    expect(error).toBeInstanceOf(DeadlineExceededError)
    expect(error.message).toContain('did not return within deadlineMs (20 ms)')
  })

  test('or gives no URL is an error that says what it must give', async () => {
    for (const failure of ['gives nothing', 'gives a number', 'gives an object']) {
      const error = await call(failure)
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error.message).toContain('must resolve to `{ url, ref }`')
    }
  })

  test('in time forgets the run when it can at last', async () => {
    const { client, clock } = createTestClient([accepted])
    const forgotten: string[] = []
    const plugged = receiverOf({
      prepare: () => late(clock, () => ({ url: 'https://hooks.example.com', ref: 'ref_2' })),
      forget: async (ref: string) => void forgotten.push(ref),
    })
    await caught(clock.run(client.run('aurora-image', {}, plugged)), HookError)
    await clock.advance(120_000)
    expect(forgotten).toEqual(['ref_2'])
  })
})

test.each([
  ['of another job', { ...fixtures.jobs.succeeded.body.data, job_id: 'job_other' }],
  ['of a success without output', { status: 'succeeded' }],
  ['that is not one', 'succeeded'],
])('an event that a receiver delivers %s does not become the result', async (_, event) => {
  const { lines, log } = recordLog('warn')
  const { client, clock } = createTestClient([accepted, succeeded], log)
  const plugged = HOOKS['the event of listen']?.(() => event)
  const result = await clock.run(client.run('aurora-image', {}, plugged))
  expect(result).toMatchObject({ job_id, output: fixtures.jobs.succeeded.body.data.output })
  expect(lines).toEqual([expect.stringContaining(`the job ${job_id} is polled: TypeError: it delivered`)])
})

describe('the context of a run', () => {
  const called = async (method: 'run' | 'submit', options: RunOptions) => {
    const { client, clock, service } = createTestClient([accepted, succeeded])
    const given: unknown[] = []
    const prepare = async (run: unknown) => {
      given.push(run)
      return { url: 'https://hooks.example.com/', ref: 'ref_1' }
    }
    await clock.run<unknown>(client[method]('aurora-image', {}, { ...receiverOf({ prepare }), ...options }))
    return { given, service }
  }

  test.each(['run', 'submit'] as const)('goes to the receiver, and not to the service: %s', async (method) => {
    const context = { order: 7 }
    const calling = called(method, { context })
    // The program uses its object again.
    context.order = 8
    const { given, service } = await calling
    expect(given).toEqual([{ modelId: 'aurora-image', context: { order: 7 } }])
    expect(JSON.stringify(service.received[0]?.body)).not.toContain('order')
  })

  test('must be JSON', async () => {
    const error = await caught(called('run', { context: { order: [Number.NaN] } }), ConfigurationError)
    expect(error.message).toBe(
      '`context` of `client.run` must be JSON: /order/0 is NaN, which JSON turns into null. Nothing was sent.',
    )
  })

  test('needs a receiver', async () => {
    for (const webhookUrl of [undefined, 'https://hooks.example.com']) {
      const error = await caught(called('run', { context: 7, webhook: undefined, webhookUrl }), ConfigurationError)
      expect(error.message).toBe('`context` needs `webhook`, an inbox whose handler gets it. Nothing was sent.')
    }
  })
})
