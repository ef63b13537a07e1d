import { AsyncLocalStorage } from 'node:async_hooks'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { errorResponse, json, type Step } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { AbortedError } from '../errors/transport-errors.ts'
import type { SpanAttributes, Tracer } from '../observe/safe-span.ts'

const running = json(200, fixtures.jobs.processing.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)

const POLLED = ['modelrun.poll processing', 'modelrun.state processing', 'modelrun.poll succeeded']

/** A span as it was recorded. */
interface RecordedSpan {
  name: string
  attributes: SpanAttributes
  /** Names of its events, with the status or the reason of each. */
  events: string[]
  isError: boolean
  endCount: number
}

/** A tracer that records its spans. */
interface SpanRecord {
  tracer: Tracer
  /** In the order in which they were started. */
  readonly spans: readonly RecordedSpan[]
  /** The span that is active where this is called. */
  active(): RecordedSpan | undefined
}

function recordSpans(): SpanRecord {
  const storage = new AsyncLocalStorage<RecordedSpan>()
  const spans: RecordedSpan[] = []
  return {
    spans,
    active: () => storage.getStore(),
    tracer: {
      startActiveSpan: (name, { attributes }, work) => {
        const span: RecordedSpan = { name, attributes: { ...attributes }, events: [], isError: false, endCount: 0 }
        spans.push(span)
        return storage.run(span, () =>
          work({
            setAttribute: (key, value) => {
              span.attributes[key] = value
            },
            addEvent: (event, more) => span.events.push([event, ...Object.values(more)].join(' ')),
            setStatus: () => {
              span.isError = true
            },
            end: () => {
              span.endCount++
            },
          }),
        )
      },
    },
  }
}

function open(steps: readonly Step[]) {
  const record = recordSpans()
  /** The job of the span that is active while a request is sent, and the job that the request is about. */
  const parents: [span: unknown, request: string][] = []
  const harness = createTestClient(steps, {
    tracer: record.tracer,
    fetch: (url, init) => {
      parents.push([record.active()?.attributes['gen_ai.response.id'], new URL(url).pathname])
      return harness.service.fetch(url, init)
    },
  })
  return { ...harness, spans: record.spans, parents }
}

describe('the span of a wait', () => {
  test('has its polls and states, and ends once with the job', async () => {
    const { client, clock, spans } = open([running, succeeded])
    await clock.run(client.jobs.attach('job_1').result())
    expect(spans).toMatchObject([
      {
        name: 'modelrun.wait',
        attributes: { 'gen_ai.response.id': 'job_1', 'modelrun.job.status': 'succeeded', 'modelrun.polls': 2 },
        events: [...POLLED, 'modelrun.state succeeded'],
        isError: false,
        endCount: 1,
      },
    ])
    expect(spans[0]?.attributes).not.toHaveProperty('modelrun.aborted')
  })

  test('is an error with the job', async () => {
    const { client, spans } = open([json(200, fixtures.jobs.failed.body)])
    await client.jobs
      .attach('job_1')
      .result()
      .catch(() => {})
    expect(spans).toMatchObject([{ isError: true, endCount: 1 }])
  })

  test('is an error when the polls have no use', async () => {
    const { client, spans } = open([errorResponse(404, 'NOT_FOUND')])
    const error = await caught(client.jobs.attach('job_1').result(), NotFoundError)
    expect(error.submission).toBe('unknown')
    expect(spans).toMatchObject([{ isError: true, endCount: 1, events: ['modelrun.poll HTTP 404'] }])
  })

  test('is not an error when the caller aborts', async () => {
    const { client, spans } = open([running])
    const controller = new AbortController()
    const wait = caught(client.jobs.attach('job_1').result({ signal: controller.signal }), AbortedError)
    await settle()
    controller.abort()
    await wait
    expect(spans).toMatchObject([{ isError: false, endCount: 1, attributes: { 'modelrun.aborted': true } }])
  })

  test('is abandoned when the loop of jobs.settle is left', async () => {
    const { client, clock, spans } = open([succeeded, running])
    const loop = async () => {
      for await (const _ of client.jobs.settle(['job_1', 'job_2'])) break
    }
    await clock.run(loop())
    expect(spans.map(({ endCount, attributes }) => [endCount, attributes['modelrun.aborted']])).toEqual([
      [1, undefined],
      [1, true],
    ])
  })
})

describe('the span of updates', () => {
  test('ends with the job, also when that failed: it is only watched', async () => {
    const { client, clock, spans } = open([running, json(200, fixtures.jobs.failed.body)])
    const ends: unknown[] = []
    const loop = async () => {
      for await (const { status } of client.jobs.attach('job_1').updates()) ends.push([status, spans[0]?.endCount])
    }
    await clock.run(loop())
    expect(ends).toEqual([
      ['processing', 0],
      ['failed', 1],
    ])
    expect(spans).toMatchObject([{ isError: false, endCount: 1, attributes: { 'modelrun.job.status': 'failed' } }])
    expect(spans[0]?.attributes).not.toHaveProperty('modelrun.aborted')
  })

  test('is abandoned when the loop is left', async () => {
    const { client, spans } = open([running])
    for await (const _ of client.jobs.attach('job_1').updates()) break
    expect(spans).toMatchObject([{ endCount: 1, attributes: { 'modelrun.aborted': true } }])
  })

  test('is an error when there is no such job', async () => {
    const { client, spans } = open([errorResponse(404, 'NOT_FOUND')])
    await caught(client.jobs.attach('job_1').updates().next(), NotFoundError)
    expect(spans).toMatchObject([{ isError: true, endCount: 1 }])
  })
})

describe('polls', () => {
  test('belong to a wait for their job, although one timer serves all waits', async () => {
    const { client, clock, parents } = open([running, running, running, running, succeeded])
    await clock.run(Promise.all(['job_1', 'job_2'].map((id) => client.jobs.attach(id).result())))
    expect(parents.length).toBeGreaterThan(4)
    for (const [span, path] of parents) expect(path).toBe(`/v1/jobs/${span}`)
  })

  test('are events of each wait that shares them', async () => {
    const { client, clock, spans } = open([running, succeeded])
    await clock.run(Promise.all([client.jobs.attach('job_1').result(), client.jobs.attach('job_1').result()]))
    const events = [...POLLED, 'modelrun.state succeeded']
    expect(spans).toMatchObject([{ events }, { events }])
  })
})
