import { describe, expect, it } from 'vitest'
import type { Row } from '../data/store.ts'
import type { DeliveryEntry, JobRow, RequestEntry } from '../data/wire.ts'
import { fits, isIn, missedReason, reasonOf, type View, wordsOf } from './rows.ts'

const request = (at_ms: number, change: Partial<RequestEntry> = {}): RequestEntry => {
  const base = { kind: 'request', method: 'GET', path: '/v1/models', status: 200, duration_ms: 1 } as const
  return { ...base, at_ms, place: at_ms, ...change }
}

const job: JobRow = {
  job_id: 'job_a',
  model_id: 'aurora-image',
  key: 'sk_test_a…',
  status: 'failed',
  credits: 4,
  charged: 0,
  created_at_ms: 20,
  processing_at_ms: 20,
  message: 'out of paint',
  text: 'a red fox',
}

const delivery: DeliveryEntry = {
  kind: 'delivery',
  request_body: '{}',
  at_ms: 40,
  place: 40,
  job_id: 'job_a',
  url: 'http://a.test/',
  outcome: 'rejected',
  duration_ms: 1,
}

const entryRow = (entry: RequestEntry): Row => ({ kind: 'entry', at: entry.at_ms, entry })

const rows: Row[] = [
  entryRow(request(10)),
  { kind: 'job', at: 20, job },
  entryRow(request(20, { method: 'POST', job_id: 'job_a', status: 202 })),
  entryRow(
    request(30, { status: 401, response_body: '{"error":{"code":"UNAUTHORIZED","message":"Not \\"known\\"."}}' }),
  ),
  { kind: 'entry', at: 40, entry: delivery },
  entryRow(request(50, { route: 'control', method: 'POST' })),
]

const shown = (view: View, search = '') =>
  rows
    .filter((row) => isIn(view, row) && fits(row, wordsOf(search)))
    .map((row) => `${row.kind === 'job' ? 'job' : row.entry.kind} ${row.at}`)

describe('the list of activity', () => {
  it('has a run that went well in the row of its job', () => {
    expect(shown('all')).toEqual(['request 10', 'job 20', 'request 30', 'delivery 40'])
  })

  it('is limited to what is asked for', () => {
    expect(shown('problems')).toEqual(['job 20', 'request 30', 'delivery 40'])
    expect(shown('jobs')).toEqual(['job 20'])
    expect(shown('control')).toEqual(['request 50'])
  })

  it('is searched in all fields, word by word', () => {
    expect(shown('all', 'PAINT fox')).toEqual(['job 20'])
    expect(shown('all', '401')).toEqual(['request 30'])
    expect(shown('all', 'nothing like it')).toEqual([])
  })

  it('says why a request was rejected', () => {
    expect(reasonOf(request(1, { status: 401, response_body: '{"error":{"message":"Not \\"known\\"."}' }))).toBe(
      'Not "known".',
    )
  })

  it('says what a lost response costs, and why a result was not delivered', () => {
    const lost = request(1, { status: undefined, fault: 'reset (fault_1)', job_id: 'job_a', route: 'runModel' })
    expect(reasonOf(lost)).toBe('The response was lost: reset (fault_1).')
    expect(reasonOf(lost, job)).toBe('The response was lost: reset (fault_1). Its job exists: 4 credits reserved.')
    expect(reasonOf(lost, { ...job, ended_at_ms: 9, charged: 4 })).toMatch(/4 credits charged\.$/)
    expect([
      missedReason({ ...delivery, status: 500 }),
      missedReason({ ...delivery, outcome: 'timeout' }),
      missedReason({ ...delivery, outcome: 'network_error', reason: 'fetch failed' }),
      missedReason({ ...delivery, outcome: 'delivered' }),
    ]).toEqual(['the receiver responded with 500', 'no response within 10 s', 'fetch failed', undefined])
  })
})
