import { describe, expect, it } from 'vitest'
import { FAULT_KINDS } from './fault-options.ts'
import { readFault } from './read-fault.ts'

const models = new Map([['aurora-image', {}]])

describe('readFault', () => {
  it.each(FAULT_KINDS)('takes %s with everything that a fault is chosen by', (kind) => {
    const fault = { kind, route: 'runModel', model: 'aurora-image', times: 2, probability: 0.5 }
    expect(readFault(fault, models)).toEqual({ ok: true, value: fault })
  })

  it.each([
    { kind: 'reset', when: 'after' },
    { kind: 'refused', when: 'before' },
    { kind: 'slow-body', when: 'after', delay_ms: 0 },
    { kind: 'truncated-body', bytes: 0 },
    { kind: 'rate-limit', retry_after: null },
    { kind: 'response', status: 418, headers: { 'x-proxy': 'a' }, body: { error: null } },
  ])('takes %j', (fault) => {
    expect(readFault(fault, models).ok).toBe(true)
  })

  it.each([
    [{ kind: 'reset', status: 500 }, '/status goes with response only, not with reset.'],
    [{ kind: 'response', status: 99 }, '/status must be 200 or more.'],
    [{ kind: 'response', status: 204, body: {} }, '/body: a response with the status 204 has none.'],
    [{ kind: 'response', headers: { 'content-length': '1' } }, '/headers is not valid (a response cannot have such'],
    [{ kind: 'response', headers: { 'a b': 'c' } }, '/headers is not valid (a response cannot have such'],
    [{ kind: 'rest' }, '/kind must be "reset" or "empty-reply" or'],
    [{ kind: 'reset', time: 1 }, 'It has members that do not exist: "time".'],
    [{ kind: 'reset', route: 'runs' }, '/route must be "listModels" or'],
    [{ kind: 'rate-limit', retry_after: 'soon' }, '/retry_after must be a number, not a string.'],
    ['reset', 'It must be an object, not a string.'],
    [{ kind: 'reset', times: 0 }, '/times must be 1 or more.'],
    [{ kind: 'reset', times: 1.5 }, '/times must be an integer'],
    [{ kind: 'reset', probability: 50 }, '/probability must be 1 or less.'],
    [{ kind: 'reset', when: 'later' }, '/when is not valid (it must be "before", "after", or { input, moment })'],
    [{ kind: 'reset', model: 'aurora-imag' }, '/model: There is no model "aurora-imag". Did you mean aurora-image?'],
    [{ kind: 'reset', model: 'x' }, '/model: There is no model "x". GET /v1/models lists the models.'],
    [{ kind: 'reset', delay_ms: 5 }, '/delay_ms goes with slow-headers and slow-body only, not with reset.'],
    [{ kind: 'slow-body', delay_ms: -1 }, '/delay_ms must be 0 or more.'],
    [{ kind: 'bad-gateway', bytes: 5 }, '/bytes goes with truncated-body only, not with bad-gateway.'],
    [{ kind: 'reset', retry_after: 5 }, '/retry_after goes with rate-limit and unavailable only, not with reset.'],
    [{ kind: 'truncated-body', when: 'before' }, '/when: truncated-body cannot come before the work.'],
    [{ kind: 'refused', when: 'after' }, '/when: refused cannot come after the work.'],
  ])('rejects %j and says why', (fault, message) => {
    expect(readFault(fault, models)).toEqual({ ok: false, message: expect.stringContaining(message) })
  })
})
