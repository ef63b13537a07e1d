import { ROUTES } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
import { failedCall, failedResponse, RUN_IS } from '../../../test/failed-calls.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import { runOperation } from '../runs/run-operation.ts'
import type { Operation } from './operation.ts'
import { toError } from './to-error.ts'

const run = runOperation('aurora-image', { input: {} })
const list: Operation<unknown> = { route: ROUTES.listModels, read: () => undefined }

describe('a response that cannot be read', () => {
  test('leaves open whether a run was accepted, so it must not be repeated', () => {
    const error = toError({ ...failedResponse(200, '<html>'), problem: 'the body is not JSON' }, failedCall(run))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ status: 200, submission: 'unknown', isRetryable: false })
    expect(error.message).toContain('got a response (HTTP 200) that cannot be read: the body is not JSON.')
    expect(error.message).toContain(RUN_IS.unknown)
  })

  test('keeps what was received, as far as a person can use it', () => {
    const text = `{"id":"job_1"}${' '.repeat(3_000)}`
    const error = toError({ ...failedResponse(200, text), problem: 'test' }, failedCall(run))
    expect(error.body).toBe(text.slice(0, 2_000))
    expect(error.message).toContain('No job id was found in what arrived (`error.body`)')
    const nothing = toError({ ...failedResponse(200, ''), problem: 'test' }, failedCall(run))
    expect('body' in nothing).toBe(false)
    expect(nothing.message).toContain('Its job id did not arrive')
    expect(toError({ ...failedResponse(200, text), problem: 'test' }, failedCall(list)).body).toBeUndefined()
  })

  test('names the job that a cut response names', () => {
    const body = '{"output":{"type":"image","items":[1]},"job_id":"job_1","x'
    const received = { ...failedResponse(200, body).received, isCut: true }
    const error = toError({ kind: 'response', received, problem: 'cut' }, failedCall(run))
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
  })

  test.each([
    ['a web page, which may pass', '<html>', true],
    ['JSON of a wrong shape, which stays so', '{"job":1}', false],
  ])('of a read is %s', (_, text, isRetryable) => {
    const error = toError({ ...failedResponse(200, text), problem: 'test' }, failedCall(list))
    expect(error).toMatchObject({ isRetryable, submission: 'not_sent' })
  })

  test.each([
    ['https://elsewhere.example.com/secret?token=1', ' to https://elsewhere.example.com'],
    ['file:///etc/passwd', ' to a file: URL'],
    ['data:text/html,secret', ' to a data: URL'],
    ['/login', ''],
  ])('may be a redirect to %s', (location, place) => {
    const error = toError(failedResponse(302, '', { location }), failedCall(list))
    expect(error).toMatchObject({ name: 'InvalidResponseError', isRetryable: false })
    expect(error.message).toContain(`it is a redirect${place}, which the client does not follow`)
  })

  test('is a redirect of a browser, which hides its status, but not with the status 0 for another reason', () => {
    const messageOf = (response: Response) => {
      const received = { ...failedResponse(200, '').received, status: 0, response }
      return toError({ kind: 'response', received }, failedCall(list)).message
    }
    const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
    expect(messageOf(hidden)).toContain('it is a redirect, which the client does not follow')
    expect(messageOf(Response.error())).not.toContain('redirect')
  })
})
