import { ROUTES } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
import { classify } from './call.ts'
import { type Interruption, type Operation, type ReceivedResponse, UnreadableResponse } from './operation.ts'

const received = (status: number, text = ''): { kind: 'response'; received: ReceivedResponse } => ({
  kind: 'response',
  received: { status, text, isCut: false, requestId: 'req_1', response: new Response(null) },
})

const interruption = (kind: Interruption['kind'], partial?: ReceivedResponse): Interruption => ({
  kind,
  reason: 'test',
  submission: 'unknown',
  cause: undefined,
  partial,
})

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
    const verdict = classify(operation, received(status, 'x'), false)
    expect(verdict).toMatchObject({ kind: 'result', result: { data: 'read x', requestId: 'req_1' } })
  })

  test.each([199, 300, 302, 400, 404, 500])('treats the response of status %i as a failure', (status) => {
    const verdict = classify(operation, received(status, 'x'), false)
    expect(verdict).toEqual({ kind: 'failure', failure: received(status, 'x') })
  })

  test('says why a response cannot be read', () => {
    expect(classify(operation, received(200, 'bad'), false)).toMatchObject({ failure: { problem: 'it is bad' } })
  })

  test('does not hide a defect of this package', () => {
    expect(() => classify(operation, received(200, 'bug'), false)).toThrow('a fault of ours')
  })

  test('treats an error response as a result where the operation says so, and passes it what came before', () => {
    expect(classify(operation, received(404, 'really fine'), true)).toMatchObject({
      result: { data: 'recovered true' },
    })
    expect(classify(operation, received(404, 'really fine'), false)).toMatchObject({
      result: { data: 'recovered false' },
    })
  })

  test.each(['timeout', 'deadline'] as const)('recovers a result from what came before the %s', (kind) => {
    const { received: partial } = received(200, 'really fine')
    expect(classify(operation, interruption(kind, partial), false)).toMatchObject({
      result: { data: 'read really fine' },
    })
    expect(classify(operation, interruption(kind), false)).toMatchObject({ kind: 'failure', failure: { kind } })
  })

  test('gives an abort precedence over an earlier result', () => {
    const { received: partial } = received(200, 'really fine')
    expect(classify(operation, interruption('aborted', partial), false)).toMatchObject({ failure: { kind: 'aborted' } })
  })
})
