import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventKey, intentKey, jobIdOfKey, jobKey, refOfKey } from './record-key.ts'

const unknown = (job_id: string, reported_status?: string) =>
  ({ status: 'unknown', job_id, reported_status, payload: {} }) as const

describe('the keys of records', () => {
  test('are the ids of jobs as they are', () => {
    expect(jobKey('job_6512bd43')).toBe('job_6512bd43')
    expect(jobKey('d6c0…/ü')).toBe('d6c0…/ü')
  })

  test('name their job, whatever it is called', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (id) => jobIdOfKey(jobKey(id)) === id))
    fc.assert(fc.property(fc.string(), fc.string(), (id, status) => jobIdOfKey(eventKey(unknown(id, status))) === id))
  })

  test('of a job, of its events of unknown status, and of an intent are never the same', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '?', ':', '%', '3F', 'ref:') })
    fc.assert(
      fc.property(text, text, text, (a, b, status) => {
        const keys = [jobKey(a), eventKey(unknown(b, status)), intentKey(a)]
        return new Set(keys).size === 3 && refOfKey(keys[0] ?? '') === undefined
      }),
    )
    expect(refOfKey(intentKey('x'))).toBe('x')
  })

  test('tell events of unknown status by that, up to 50 characters of it', () => {
    expect(eventKey(unknown('a', 'uploading'))).toBe('a?uploading')
    expect(eventKey(unknown('a'))).toBe('a?')
    expect(eventKey(unknown('a', '€'.repeat(99)))).toBe(`a?${'€'.repeat(50)}`)
  })
})
