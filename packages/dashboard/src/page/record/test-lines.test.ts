import { describe, expect, it } from 'vitest'
import type { JobRow } from '../data/wire.ts'
import type { Recorded } from './record.ts'
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

const RUN = { kind: 'run', model: 'aurora-image', input: {}, mode: 'async', jobId: 'job_a' } as const

function linesOf(actions: Recorded[], row: Partial<JobRow> = {}, nowMs = 20_000): string[] {
  const job = { ...ROW, ...row }
  const text = testLines({ actions, jobOf: (id) => (id === job.job_id ? job : undefined), nowMs })
  return text.split('\n').map((line) => line.trim())
}

describe('the copied test', () => {
  it('has the times of the server, not the estimates of the page', () => {
    const fault: Recorded = { kind: 'fault', id: 'fault_1', fault: { kind: 'reset' }, atMs: 15_500 }
    const lines = linesOf([{ ...RUN, atMs: 9_000 }, fault, { kind: 'cancel', jobId: 'job_a', atMs: 19_000 }], {
      status: 'cancelled',
      ended_at_ms: 14_000,
    })
    const advances = lines.filter((line) => line.includes('advance'))
    expect(advances).toEqual(['await server.clock.advance(4_000)', 'await server.clock.advance(6_000)'])
    expect(lines.indexOf(advances[0] ?? '')).toBeLessThan(lines.indexOf("server.faults.add({ kind: 'reset' })"))
  })

  it('says that the speed of time was changed, where it was', () => {
    const lines = linesOf([
      { kind: 'scale', scale: 0, atMs: 9_000 },
      { ...RUN, atMs: 10_000 },
      { kind: 'step', atMs: 15_000 },
      { kind: 'scale', scale: 60, atMs: 15_000 },
    ])
    const place = (text: string) => lines.findIndex((line) => line.includes(text))
    const places = ['// Time was paused.', 'advance(1_000)', '.submit(', 'advance(5_000)', '// Time went on 60 times']
    expect(places.map(place)).toEqual(places.map(place).toSorted((one, other) => one - other))
    expect(places.map(place)).not.toContain(-1)
  })

  it('lets a run take as long as it took; one that was ended by hand goes on until then', () => {
    const ended = { status: 'failed', ended_at_ms: 12_345 } as const
    expect(linesOf([{ ...RUN, atMs: 10_000 }], ended)).toContain(
      "server.script('aurora-image', [{ result: 'failed', after_ms: 2345 }])",
    )
    const byHand = linesOf(
      [
        { ...RUN, atMs: 10_000 },
        { kind: 'fail', jobId: 'job_a', atMs: 12_000 },
      ],
      ended,
    )
    expect(byHand).toContain("server.script('aurora-image', [{ result: 'hang' }])")
  })

  it('ends when the page still showed its jobs as they are expected', () => {
    const lines = linesOf([{ ...RUN, atMs: 10_000 }], { status: 'queued', ends_at_ms: 15_000 }, 99_000)
    expect(lines).toContain('await server.clock.advance(4_999)')
    expect(lines).toContain("expect(server.job(job1.id).status).toBe('processing')")
  })

  it('goes on from the time of a snapshot', () => {
    const lines = linesOf([
      { kind: 'snapshot', name: 'snapshot1', atMs: 1_000 },
      { kind: 'restore', name: 'snapshot1', toMs: 1_000, atMs: 8_000 },
      { ...RUN, atMs: 10_000 },
    ])
    expect(lines.filter((line) => line.includes('advance('))[1]).toBe('await server.clock.advance(9_000)')
  })
})
