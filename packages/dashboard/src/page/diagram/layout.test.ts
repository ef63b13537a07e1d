import { describe, expect, it } from 'vitest'
import type { Exchange, Life, RequestExchange } from '../data/wire.ts'
import { foldPolls } from './fold-polls.ts'
import { spokenLabel } from './labels.ts'
import { layoutLife } from './layout.ts'

function poll(at_ms: number, change: Partial<RequestExchange> = {}): RequestExchange {
  const request = {
    kind: 'request',
    method: 'GET',
    path: '/v1/jobs/job_a',
    route: 'getJob',
    status: 200,
    job_status: 'processing',
  } as const
  return { ...request, at_ms, duration_ms: 0, attempt: 1, place: at_ms, end_place: at_ms, ...change }
}

function life(exchanges: Exchange[]): Life {
  const job = {
    job_id: 'job_a',
    model_id: 'm',
    key: 'sk_test_a…',
    status: 'processing',
    credits: 4,
    charged: 0,
    created_at_ms: 0,
    processing_at_ms: 0,
  } as const
  return { now_ms: 90_000, job, input: {}, exchanges }
}

const created: Exchange = {
  kind: 'job',
  at_ms: 0,
  place: 2,
  end_place: 2,
  job_id: 'job_a',
  model_id: 'm',
  to: 'processing',
  credits: 4,
}

describe('the sequence diagram', () => {
  it('draws a response that comes at once with its request, and a late one where it comes', () => {
    const held = poll(0, { method: 'POST', route: 'runModel', place: 1, end_place: 5, duration_ms: 55_000 })
    const { marks, bars } = layoutLife(life([held, created, poll(60_000)]))
    expect(marks.map(({ kind, afterMs }) => `${kind} ${afterMs}`)).toEqual([
      'send 0',
      'state 0',
      'respond 55000',
      'send 60000',
    ])
    expect(bars.map(({ kind }) => kind)).toEqual(['processing', 'wait'])
  })

  it('goes down in the order of things, and makes a long wait longer than a short one, but not as long as it was', () => {
    const { marks } = layoutLife(life([created, poll(10), poll(1_000, { job_status: 'queued' }), poll(90_000)]))
    const gaps = marks.slice(1).map(({ y }, index) => y - (marks[index]?.y ?? 0))
    expect(gaps.every((gap) => gap > 30)).toBe(true)
    expect(gaps[2]).toBeGreaterThan(gaps[1] ?? 0)
    expect(gaps[2]).toBeLessThan(120)
  })

  it('folds polls that say nothing new, and none with a fault', () => {
    const same = [1, 2, 3, 4, 5].map((at) => poll(at))
    expect(foldPolls(same).map(({ folded }) => folded)).toEqual([3, 0])
    const faulty = same.with(2, poll(3, { fault: 'reset (fault_1)' }))
    expect(foldPolls(faulty)).toHaveLength(5)
  })

  it('writes the times to the millisecond, from the first request on, and how short a gap is', () => {
    const run = poll(-9, { method: 'POST', route: 'runModel', place: 1, duration_ms: 9 })
    const ends = [4_000, 4_006, 4_008].map((at) => poll(at, { status: at }))
    const { ticks } = layoutLife(life([run, created, ...ends]))
    expect(ticks.filter(({ isGap }) => !isGap).map(({ text, since = '' }) => `${text} ${since}`.trim())).toEqual([
      '0 ms',
      '9 ms +9 ms',
      '4.009 s',
      '4.015 s +6 ms',
      '4.017 s +2 ms',
      '1 min 30.009 s',
    ])
  })

  it('calls a second delivery a duplicate, because the service does not try again', () => {
    const delivery = {
      kind: 'delivery',
      request_body: '{}',
      job_id: 'job_a',
      url: 'http://a.test/',
      outcome: 'delivered',
      status: 204,
    } as const
    const again = { ...delivery, at_ms: 2_000, duration_ms: 0, attempt: 2, place: 9, end_place: 9 }
    const { marks } = layoutLife(life([created, again]))
    expect(marks.map(spokenLabel).at(-1)).toBe('POST webhook · duplicate 2 after 2.000 s: 204 delivered')
  })

  it('says each mark in a sentence', () => {
    const { marks } = layoutLife(life([created, poll(1_500, { attempt: 2 })]))
    expect(marks.map(spokenLabel)).toEqual([
      'Job processing after 0 ms, 4 credits reserved',
      'GET job · attempt 2 after 1.500 s: 200 processing',
    ])
  })
})
