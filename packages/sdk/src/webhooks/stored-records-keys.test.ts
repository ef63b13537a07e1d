import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventKey, jobIdOfKey, jobKey } from './stored-records.ts'

const unknown = (job_id: string, reported_status?: string) =>
  ({ status: 'unknown', job_id, reported_status, payload: {} }) as const

describe('the ids of tasks', () => {
  test('are the ids of jobs as they are', () => {
    expect(jobKey('job_6512bd43')).toBe('job_6512bd43')
    expect(jobKey('d6c0…/ü')).toBe('d6c0…/ü')
  })

  test('name their job, whatever it is called', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (id) => jobIdOfKey(jobKey(id)) === id))
    fc.assert(fc.property(fc.string(), fc.string(), (id, status) => jobIdOfKey(eventKey(unknown(id, status))) === id))
  })

  test('of a job and of its events of unknown status are never the same', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '?', ':', '%', '3F', 'ref:') })
    fc.assert(
      fc.property(text, text, text, (a, b, status) => {
        return a === b ? jobKey(a) !== eventKey(unknown(b, status)) : jobKey(a) !== jobKey(b)
      }),
    )
  })

  test('distinguish events of unknown status by that, up to 50 characters of it', () => {
    expect(eventKey(unknown('a', 'uploading'))).toBe('a?uploading')
    expect(eventKey(unknown('a'))).toBe('a?')
    expect(eventKey(unknown('a', '€'.repeat(99)))).toBe(`a?${'€'.repeat(50)}`)
  })
})
