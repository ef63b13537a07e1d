import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import type { JobJson } from '../job-handle.ts'
import { readJobReference } from './jobs-resource.ts'

const JSON_OF_JOB = { job_id: 'job_1', model_id: 'aurora-image', request_id: 'req_1' }
const REFERENCE = { jobId: 'job_1', modelId: 'aurora-image', requestId: 'req_1' }

describe('readJobReference', () => {
  test.each<[string, unknown]>([
    ['the JSON of a job', JSON_OF_JOB],
    ['its text', JSON.stringify(JSON_OF_JOB)],
    ['its text in a file', `\ufeff${JSON.stringify(JSON_OF_JOB, null, 2)}\r\n`],
    ['the JSON of its text', JSON.stringify(JSON.stringify(JSON_OF_JOB))],
    ['a handle of another copy of the package', { id: 'job_1', modelId: 'x', toJSON: () => JSON_OF_JOB }],
    ['a JSON of a job whose `toJSON` is something else', { ...JSON_OF_JOB, toJSON: true }],
    ['the response of a run, whose other fields do not matter', { ...JSON_OF_JOB, status: 'queued' }],
  ])('takes %s', (_, job) => {
    expect(readJobReference(job as JobJson)).toEqual(REFERENCE)
  })

  test('takes an id', () => {
    expect(readJobReference('job_1')).toEqual({ jobId: 'job_1' })
  })

  test.each(['', '{', '{"job_id":', '{}', '{"job_id":""}', '{"job_id":7}', '{"job_id":"a","model_id":5}'])(
    'rejects the text %j',
    (text) => {
      expect(() => readJobReference(text)).toThrow(ConfigurationError)
    },
  )
})
