import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failedResponse } from '../../../test/failed-calls.ts'
import { type ReceivedResponse, UnreadableResponse } from '../http/operation.ts'
import { recoverJob, rejectResponse, runOperation } from './run-operation.ts'

const received = (body: unknown, isCut = false): ReceivedResponse => ({ ...failedResponse(200, body).received, isCut })

const unknownRun = (reported_status?: string) => ({ status: 'unknown', job_id: 'job_1', reported_status })

describe('recoverJob finds the job of a response (section 4.3)', () => {
  test.each([
    ['a newer status', { job_id: 'job_1', status: 'warming' }, 'warming'],
    ['the status of a job', { job_id: 'job_1', status: 'succeeded' }, 'succeeded'],
    ['a missing output', { job_id: 'job_1', status: 'completed', credits_used: 4 }, 'completed'],
    ['a status that is not a string', { job_id: 'job_1', status: 5 }, undefined],
    ['nothing but the id', { job_id: 'job_1' }, undefined],
    ['the wrapper of the job status (section 2.4)', { data: { job_id: 'job_1', status: 'queued' } }, 'queued'],
  ])('with %s', (_, body, reported) => {
    expect(recoverJob(received(body))).toEqual(unknownRun(reported))
  })

  test.each([
    '{"job_id":"job_1"',
    '{"job_id":"job_1","status":"comp',
    '{ "status" : "completed", "credits_used": 4, "job_id" : "job_1", "output":{"type":"im',
    '{"success":true,"data":{"job_id":"job_1","stat',
    '{"request_id":"with \\"quotes\\"","job_id":"job_1","output"',
    '{"output":{"type":"image","items":[{"job_id":"old"}]},"list":[[],{}],"job_id":"job_1","sta',
    `{"text":"${'x'.repeat(50_000)}","job_id":"job_1","sta`,
    '{"data":{"output":{"job_id":"old"},"job_id":"job_1","sta',
    '{"error":{"job_id":"old"},"job_id":"job_1","sta',
    '{"job_id":"job\\u005f1","sta',
    '{"note":"ends with a backslash \\\\","job_id":"job_1"',
  ])('that is cut as %s', (text) => {
    expect(recoverJob(received(text, true))).toEqual(unknownRun())
  })

  test('from the response itself before any wrapper in it', () => {
    expect(recoverJob(received({ data: { job_id: 'job_other' }, job_id: 'job_1' }))).toEqual(unknownRun())
  })
})

test.each([
  ['a web page', '<html>"job_id":"job_1"</html>'],
  ['an empty body', ''],
  ['another shape', { id: 'job_1' }],
  ['an empty id', { job_id: '' }],
  ['an id that is not a text', { job_id: [7] }],
  ['an id that no url can hold', { job_id: '..' }],
  ['an id with a control character', { job_id: 'a\nb' }],
  ['an id that JSON may have rounded', '{"job_id":9007199254740993}'],
  ['an id in an error, which may be another job', { error: { code: 'X', message: '', job_id: 'job_1' } }],
  ['an id in an error, cut', '{"error":{"code":"X","job_id":"job_1","mess'],
  ['a number that is cut', '{"job_id":12'],
  ['an id in a list of two', '[{"job_id":"job_1"},{"job_id":"job_2"}]'],
  ['an id in a list in a wrapper, cut', '{"data":[{"job_id":"job_1"}],"x'],
  ['an echo of the input', { input: { job_id: 'job_old' }, state: 'ok' }],
  ['an echo of the input, cut', '{"request":{"input":{"job_id":"job_old"'],
  ['an echo of the input in an error', { error: { code: 'X', message: '', input: { job_id: 'job_old' } } }],
  ['an id that is cut', '{"job_id":"job_'],
])('recoverJob finds no job in a response that is %s', (_, body) => {
  expect(recoverJob(received(body))).toBeUndefined()
})

test('recoverJob is quick and never throws, whatever the text', () => {
  const pieces = fc.constantFrom('{', '"job_id"', ':', '"job_1"', ',', '"data"', '\\', '"', ' ', 'true', '[', '}')
  const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(text, fc.json(), fc.string()), fc.boolean(), (value, isCut) => {
      const found = recoverJob(received(value, isCut))
      return found === undefined || found.job_id !== ''
    }),
    { numRuns: 1_000 },
  )
  const evil = [
    `{${' '.repeat(1e6)}`,
    `{${'"a":1,'.repeat(2e5)}`,
    `{"${'a'.repeat(1e6)}`,
    `{"data":{${'"a":"b",'.repeat(1e5)}`,
    `{"a":${'['.repeat(1e6)}`,
    `{"a":"${'\\'.repeat(1e6)}`,
    `{"a":"${'\\"'.repeat(1e6)}`,
  ]
  // Work that grows faster than the text would not end before the time limit of the test runner.
  for (const value of evil) expect(recoverJob(received(value, true))).toBeUndefined()
})

test.each([
  ['<html>', 'not JSON'],
  ['', 'empty'],
  [{ id: 'job_1' }, 'wrong shape at /job_id'],
  [{ job_id: '' }, 'its `job_id` "" is not an id'],
])('rejectResponse says what is wrong with a response that names no job: %j', (body, problem) => {
  const reject = () => rejectResponse(received(body))
  expect(reject).toThrow(expect.any(UnreadableResponse))
  expect(reject).toThrow(expect.objectContaining({ problem: expect.stringContaining(problem) }))
})

describe('the response to a run (section 4.3)', () => {
  const operation = runOperation('aurora-image', { input: {} })
  const { queued, processingSlow, completed } = fixtures.runs
  const busy = { code: 'BUSY', message: 'x', job_id: 'job_1' }

  test.each([
    ['408 that names a job', 408, { job_id: 'job_1', status: 'failed', error: { code: 'X', message: 'x' } }, 'job_1'],
    ['503 that names a job', 503, { job_id: 'job_1' }, 'job_1'],
    ['409 that names a job, which may be another one', 409, { job_id: 'job_1', error: busy }, undefined],
    ['429 that names a job, which may be another one', 429, { job_id: 'job_1', error: busy }, undefined],
    ['500 whose error names a job, which may be another one', 500, { error: busy }, undefined],
    ['500 with the error body of section 7', 500, fixtures.errors.internal.body, undefined],
  ])('%s', (...row) => {
    const [, status, body, jobId] = row
    expect(operation.readError?.({ ...received(body), status }, false)?.data.job_id).toBe(jobId)
  })

  test.each(['', '.', '..', '\ud800', undefined, null, {}, 2 ** 60])(
    'whose `job_id` is %j cannot be followed, unless it has the result',
    (job_id) => {
      for (const { body } of [processingSlow, queued])
        expect(() => operation.read(received({ ...body, job_id }))).toThrow(UnreadableResponse)
      const { job_id: none, status } = operation.read(received({ ...completed.body, job_id }))
      expect([none, status]).toEqual(['', 'completed'])
    },
  )

  test('keeps fields that are not specified, and takes the digits of a number for the id', () => {
    const body = { ...queued.body, job_id: 12345, position: 3 }
    expect(operation.read(received(body))).toMatchObject({ job_id: '12345', position: 3 })
  })
})
