import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { createMemoryRecords } from './memory-records.ts'
import type { WebhookEvent } from './webhook-event.ts'

const failed = (job_id: string): WebhookEvent => ({ ...fixtures.webhooks.failed.body, job_id })
const succeeded = (job_id: string): WebhookEvent => ({ ...fixtures.webhooks.succeeded.body, job_id })
const unknown = (job_id: string, reported_status?: string): WebhookEvent => ({
  status: 'unknown',
  job_id,
  reported_status,
  payload: {},
})

describe('memory records (section 6, rule 3)', () => {
  test('give a delivery to one claimer, until it is released or done', () => {
    const records = createMemoryRecords()
    expect(records.claim(failed('a'))).toBe('new')
    expect(records.claim(failed('a'))).toBe('busy')
    expect(records.claim(failed('b'))).toBe('new')
    records.release(failed('a'))
    expect(records.claim(failed('a'))).toBe('new')
    records.finish(failed('a'), failed('a'))
    expect(records.claim(failed('a'))).toBe('done')
    expect(records.claim(failed('b'))).toBe('busy')
  })

  test('hold that a job has one result, whichever it is', () => {
    const records = createMemoryRecords()
    records.claim(failed('a'))
    expect(records.claim(succeeded('a'))).toBe('busy')
    records.finish(failed('a'), failed('a'))
    expect(records.claim(succeeded('a'))).toBe('done')
  })

  test('let a result through after and beside an event of unknown status, and tell those by their status', () => {
    const records = createMemoryRecords()
    expect(records.claim(unknown('a', 'processing'))).toBe('new')
    expect(records.claim(unknown('a', 'processing'))).toBe('busy')
    expect(records.claim(unknown('a', 'uploading'))).toBe('new')
    expect(records.claim(unknown('a'))).toBe('new')
    expect(records.claim(succeeded('a'))).toBe('new')
    records.finish(unknown('a', 'processing'), unknown('a', 'processing'))
    expect(records.claim(unknown('a', 'processing'))).toBe('done')
    expect(records.claim(succeeded('a'))).toBe('busy')
  })

  test('remember the event of a job, and its result before anything unknown', () => {
    const records = createMemoryRecords()
    expect(records.finished('a')).toBeUndefined()
    records.finish(unknown('a'), unknown('a'))
    expect(records.finished('a')).toEqual(unknown('a'))
    records.finish(succeeded('a'), succeeded('a'))
    records.finish(unknown('a', 'x'), unknown('a', 'x'))
    expect(records.finished('a')).toEqual(succeeded('a'))
  })

  test('forget the oldest finished jobs when there are too many, and no unfinished one', () => {
    const records = createMemoryRecords(2)
    records.claim(failed('working'))
    for (const id of ['a', 'b', 'c']) {
      records.claim(failed(id))
      records.finish(failed(id), failed(id))
    }
    expect(['a', 'b', 'c', 'working'].map((id) => records.claim(failed(id)))).toEqual(['new', 'done', 'done', 'busy'])
    expect(records.finished('a')).toBeUndefined()
  })
})
