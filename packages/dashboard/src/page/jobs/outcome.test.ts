import { describe, expect, it } from 'vitest'
import type { DeliveryExchange, Exchange, JobRow, RequestExchange } from '../data/wire.ts'
import { outcomeText } from './outcome.ts'

const job: JobRow = {
  job_id: 'job_a',
  model_id: 'aurora-image',
  key: 'sk_test_a…',
  status: 'failed',
  credits: 4,
  charged: 0,
  created_at_ms: 1_000,
  processing_at_ms: 1_000,
  ended_at_ms: 13_000,
  code: 'PROVIDER_FAILURE',
  message: 'out of paint.',
}

const request = (change: Partial<RequestExchange>): RequestExchange => {
  const base = { kind: 'request', method: 'GET', path: '/v1/jobs/job_a', route: 'getJob', duration_ms: 1 } as const
  return { ...base, at_ms: 0, place: 1, end_place: 1, attempt: 1, ...change }
}

const delivery = (outcome: DeliveryExchange['outcome']): DeliveryExchange => {
  const base = {
    kind: 'delivery',
    request_body: '{}',
    job_id: 'job_a',
    url: 'http://a.test/',
    duration_ms: 1,
    attempt: 1,
  } as const
  return { ...base, at_ms: 0, place: 1, end_place: 1, outcome }
}

const textOf = (exchanges: Exchange[], change: Partial<JobRow> = {}) =>
  outcomeText({ now_ms: 0, job: { ...job, ...change }, input: {}, exchanges }, 4_000)

describe('the outcome of a job in a sentence', () => {
  it('says how it ended, why, and what it cost', () => {
    const text = 'Failed after 12 s: out of paint. 0 credits charged, 2 polls, 0 webhooks.'
    expect(textOf([request({}), request({})])).toBe(text)
  })

  it('cuts a long reason, which is whole below it', () => {
    expect(textOf([], { message: 'x'.repeat(200) })).toContain(`: ${'x'.repeat(80)}…. 0 credits`)
  })

  it('says what is reserved while it runs', () => {
    const running = { status: 'processing', ended_at_ms: undefined, code: undefined, message: undefined } as const
    expect(textOf([], running as unknown as Partial<JobRow>)).toBe(
      'Processing for 3 s. 4 credits reserved, 0 polls, 0 webhooks.',
    )
  })

  it('says that a response was lost, and that a result came twice', () => {
    const lost = request({ route: 'runModel', job_id: 'job_a' })
    const text = textOf([lost, { ...delivery('rejected'), status: 500 }, delivery('delivered')])
    expect(text).toContain('The response to the run was lost')
    expect(text).toContain('The result was sent 2 times. 1 delivery failed: the receiver responded with 500.')
  })
})
