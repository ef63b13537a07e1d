import { inspect } from 'node:util'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { createTestClient } from '../../../test/test-client.ts'
import { JobFailedError } from './job-errors.ts'
import { AbortedError, ConnectionError } from './transport-errors.ts'

describe('an error', () => {
  test('prints its own name and message at the top of its stack', () => {
    const error = new ConnectionError({ message: 'no way' })
    expect(error.stack).toMatch(/^ConnectionError: no way\n/)
    expect(inspect(error)).toMatch(/^ConnectionError: no way\n/)
    expect(String(error)).toBe('ConnectionError: no way')
  })

  test('has a message that is not longer than people read, with its start and its end', () => {
    const { message } = new ConnectionError({ message: `It said: ${'x'.repeat(1e7)}. Nothing was sent.` })
    expect(message.length).toBeLessThan(4_100)
    expect(message).toMatch(/^It said: x.* … x*\. Nothing was sent\.$/)
  })

  test('says by default that nothing was sent and that it may not be repeated', () => {
    const error = new ConfigurationError({ message: 'x' })
    expect(error).toMatchObject({ attempts: [], submission: 'not_sent', isRetryable: false, code: 'configuration' })
  })

  test('has no field for what is not known', () => {
    const error = new JobFailedError({ message: 'x', jobId: 'job_1', job: { status: 'failed' } })
    expect(Object.keys(error).sort()).toEqual(['attempts', 'code', 'isRetryable', 'job', 'jobId', 'submission'])
    expect('cause' in error).toBe(false)
    expect(error.failureCode).toBeUndefined()
  })

  test('keeps its code, name and message in JSON, copies, loops and prints', () => {
    const error = new JobFailedError({ message: 'x', jobId: 'job_1', job: { status: 'failed' } })
    const looped = []
    for (const key in error) looped.push(key)
    const shown = { name: 'JobFailedError', message: 'x', code: 'job_failed' }
    expect(JSON.parse(JSON.stringify(error))).toMatchObject(shown)
    expect({ ...error }).toMatchObject({ code: 'job_failed', jobId: 'job_1' })
    expect(looped).toContain('code')
    expect(inspect(error)).toContain("code: 'job_failed'")
  })

  test('gives plain data for a copy, with all that a log needs', () => {
    const facts = {
      attempts: [{ startedAt: 1, durationMs: 2, reason: 'HTTP 200' }],
      requestId: 'req_1',
      jobId: 'job_1',
    }
    const job = createTestClient([]).client.jobs.attach('job_1')
    const error = new AbortedError({ message: 'x', ...facts, job, cancellation: Promise.resolve(true) })
    Object.assign(error, { jobIds: ['job_1', 'job_2'] })
    const ours = { name: 'AbortedError', message: 'x', code: 'aborted', jobIds: ['job_1', 'job_2'] }
    const known = { ...facts, ...ours, job: { job_id: 'job_1' } }
    expect(structuredClone(error.toJSON())).toMatchObject(known)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject(known)
  })

  test('keeps its cause, even one that is falsy', () => {
    const cause = new Error('deeper')
    expect(new ConnectionError({ message: 'x', cause }).cause).toBe(cause)
    expect(new ConnectionError({ message: 'x', cause: null })).toHaveProperty('cause', null)
  })
})
