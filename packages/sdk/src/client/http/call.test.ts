import { ROUTES } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
import { failedResponse, interruption } from '../../../test/failed-calls.ts'
import { classify } from './call.ts'
import { type Operation, UnreadableResponse } from './operation.ts'

const operation: Operation<string> = {
  route: ROUTES.runModel,
  read: ({ text }) => {
    if (text === 'bad') throw new UnreadableResponse('it is bad')
    if (text === 'bug') throw new TypeError('a fault of ours')
    return `read ${text}`
  },
  readError: ({ text }, hasArrived) => (text === 'really fine' ? { data: `recovered ${hasArrived}` } : undefined),
}

describe('classify', () => {
  test.each([200, 201, 202, 204, 299])('reads the response of status %i as a result', (status) => {
    const verdict = classify(operation, failedResponse(status, 'x', { 'x-request-id': 'req_1' }), false)
    expect(verdict).toMatchObject({ kind: 'result', result: { data: 'read x', requestId: 'req_1' } })
  })

  test.each([199, 300, 302, 400, 404, 500])('treats the response of status %i as a failure', (status) => {
    const { kind, received } = failedResponse(200, 'x')
    const failure = { kind, received: { ...received, status } }
    expect(classify(operation, failure, false)).toEqual({ kind: 'failure', failure })
  })

  test('says why a response cannot be read', () => {
    expect(classify(operation, failedResponse(200, 'bad'), false)).toMatchObject({ failure: { problem: 'it is bad' } })
  })

  test('does not hide a defect of this package', () => {
    expect(() => classify(operation, failedResponse(200, 'bug'), false)).toThrow('a fault of ours')
  })

  test('treats an error response as a result where the operation says so, and passes it what came before', () => {
    for (const hasArrived of [true, false]) {
      const verdict = classify(operation, failedResponse(404, 'really fine'), hasArrived)
      expect(verdict).toMatchObject({ result: { data: `recovered ${hasArrived}` } })
    }
  })

  test.each(['timeout', 'deadline'] as const)('recovers a result from what came before the %s', (kind) => {
    const { received: partial } = failedResponse(200, 'really fine')
    const stopped = interruption(kind, 'unknown')
    expect(classify(operation, { ...stopped, partial }, false)).toMatchObject({ result: { data: 'read really fine' } })
    expect(classify(operation, stopped, false)).toMatchObject({ kind: 'failure', failure: { kind } })
  })

  test('gives an abort precedence over an earlier result', () => {
    const { received: partial } = failedResponse(200, 'really fine')
    const stopped = { ...interruption('aborted', 'unknown'), partial }
    expect(classify(operation, stopped, false)).toMatchObject({ failure: { kind: 'aborted' } })
  })
})
