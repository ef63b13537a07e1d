import { describe, expect, it } from 'vitest'
import type { Action, Exchange, JobRow } from '../data/wire.ts'
import { actionsOfJob } from './actions-of-job.ts'
import { testLines } from './test-lines.ts'

const ROW: JobRow = {
  job_id: 'job_a',
  model_id: 'aurora-image',
  key: 'sk_test_…',
  status: 'processing',
  credits: 4,
  charged: 0,
  created_at_ms: 10_000,
  processing_at_ms: 11_000,
}

const RUN: Action = {
  at_ms: 9_990,
  call: 'runModel',
  path: '/v1/models/aurora-image/run',
  job_id: 'job_a',
  status: 202,
  job_status: 'queued',
  body: { input: {} },
}

function linesOf(actions: Action[], row: Partial<JobRow> = {}, nowMs = 20_000): string[] {
  const job = { ...ROW, ...row }
  const jobOf = (id: string) => (id === job.job_id ? job : undefined)
  const text = testLines({ actions, jobOf, nowMs, isFirst: (key) => key === undefined })
  return text.split('\n').map((line) => line.trim())
}

describe('the test that is made of what was done', () => {
  it('does it at the same times', () => {
    const fault: Action = { at_ms: 12_000, call: 'addFault', made: 'fault_1', body: { kind: 'reset' } }
    const lines = linesOf([RUN, fault, { at_ms: 14_000, call: 'cancelJob', job_id: 'job_a' }], {
      status: 'cancelled',
      ended_at_ms: 14_000,
    })
    const advances = lines.filter((line) => line.includes('advance'))
    expect(advances).toEqual(['await server.clock.advance(2_000)', 'await server.clock.advance(2_000)'])
    expect(lines.indexOf(advances[0] ?? '')).toBeLessThan(lines.indexOf("server.faults.add({ kind: 'reset' })"))
    expect(lines).toContain('await job1.cancel()')
  })

  it('says that the speed of time was changed, where it was', () => {
    const lines = linesOf([
      { at_ms: 9_000, call: 'setClockScale', body: { scale: 0 } },
      RUN,
      { at_ms: 15_000, call: 'advanceClock', body: { advance_ms: 5_000 } },
      { at_ms: 15_000, call: 'setClockScale', body: { scale: 60 } },
    ])
    const place = (text: string) => lines.findIndex((line) => line.includes(text))
    const places = ['// Time was paused.', 'advance(1_000)', '.submit(', 'advance(5_000)', '// Time continued 60 times']
    expect(places.map(place)).toEqual(places.map(place).toSorted((one, other) => one - other))
    expect(places.map(place)).not.toContain(-1)
  })

  it('lets a run take as long as it took; one that was ended by hand continues until then', () => {
    const ended = { status: 'failed', ended_at_ms: 12_345 } as const
    expect(linesOf([RUN], ended)).toContain("server.script('aurora-image', [{ result: 'failed', after_ms: 2345 }])")
    const byHand = linesOf([RUN, { at_ms: 12_000, call: 'failJob', job_id: 'job_a', body: {} }], ended)
    expect(byHand).toContain("server.script('aurora-image', [{ result: 'hang' }])")
    expect(byHand).toContain('server.job(job1.id).fail()')
  })

  it('ends when the page still showed its jobs as they are expected', () => {
    const lines = linesOf([RUN], { status: 'queued', ends_at_ms: 15_000 }, 99_000)
    expect(lines).toContain('await server.clock.advance(4_999)')
    expect(lines).toContain("expect(server.job(job1.id).status).toBe('processing')")
  })

  it('expects a lost response to throw, and the job to be charged all the same', () => {
    const { status: _, ...lost } = RUN
    const lines = linesOf([lost], { status: 'succeeded', charged: 4, ended_at_ms: 12_000 })
    expect(lines.join('\n')).toContain('.rejects.toThrow() // the response is lost')
    expect(lines).toContain('expect(server.credits()).toBe(9996)')
  })

  it('leaves out faults for which the test would wait for its own clock', () => {
    const lines = linesOf([{ at_ms: 1, call: 'addFault', body: { kind: 'hang' } }, RUN])
    expect(lines.join('\n')).not.toContain('server.faults.add')
  })
})

describe('the actions of one job', () => {
  it('are its run, the attempts before it, the faults that they met, and no other job', () => {
    const failed = { ...RUN, at_ms: 9_000, job_id: undefined, status: 503 } as unknown as Action
    const others: Action[] = [
      { at_ms: 1, call: 'setWebhooks', body: { deliveries: 2 } },
      { at_ms: 2, call: 'addFault', body: { kind: 'unavailable' }, made: 'fault_1' },
      { ...RUN, at_ms: 3, job_id: 'job_b' },
    ]
    const request = {
      kind: 'request',
      method: 'POST',
      path: '',
      route: 'runModel',
      duration_ms: 0,
      attempt: 1,
    } as const
    const exchanges: Exchange[] = [
      { ...request, at_ms: 9_000, place: 1, end_place: 1, status: 503, fault: 'unavailable (fault_1)' },
      { ...request, at_ms: 9_990, place: 2, end_place: 3, status: 202, job_id: 'job_a' },
    ]
    const own = actionsOfJob([...others, failed, RUN], { now_ms: 20_000, job: ROW, input: {}, exchanges })
    expect(own.map(({ call, at_ms }) => `${call} ${at_ms}`)).toEqual([
      'setWebhooks 1',
      'addFault 9000',
      'runModel 9000',
      'runModel 9990',
    ])
    expect(own[1]?.body).toEqual({ kind: 'unavailable', route: 'runModel', times: 1 })
  })
})
