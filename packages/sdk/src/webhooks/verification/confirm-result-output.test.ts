import { expect, test } from 'vitest'
import { FAILED, SUCCEEDED } from '../../../test/test-inbox.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { findOutputProblem } from './confirm-result.ts'

const GOOD = 'https://files.example.com/0.png'
const EVIL = 'https://evil.example.net/0.png'
const outputOf = (...urls: string[]) => ({ type: 'image', items: urls.map((url) => ({ type: 'image', url })) })
const unknown = (payload: Record<string, unknown>): WebhookEvent => ({
  status: 'unknown',
  job_id: SUCCEEDED.job_id,
  payload,
})
const HOSTS = ['files.example.com']

test('the first item with another host is named, without its url', () => {
  const problem = findOutputProblem(HOSTS, { ...SUCCEEDED, output: outputOf(GOOD, EVIL, EVIL) })
  expect(problem).toMatch(/^The URL of item 1 of the output must not be fetched: .+\.$/)
  expect(problem).not.toContain('evil')
})

test('an output of the allowed hosts, and a failure, have no problem', () => {
  expect(findOutputProblem(HOSTS, { ...SUCCEEDED, output: outputOf(GOOD) })).toBeUndefined()
  expect(findOutputProblem(HOSTS, FAILED)).toBeUndefined()
})

test('without `allowedOutputHosts` every host is allowed', () => {
  expect(findOutputProblem(undefined, { ...SUCCEEDED, output: outputOf(EVIL, 'http://127.0.0.1/') })).toBeUndefined()
})

test('the links of an event of unknown status are checked as well', () => {
  expect(findOutputProblem(HOSTS, unknown({ output: outputOf(EVIL) }))).toContain('item 0')
  expect(findOutputProblem(HOSTS, unknown({ output: outputOf(GOOD) }))).toBeUndefined()
})

test.each<[string, unknown]>([
  ['no output', undefined],
  ['an output of null', null],
  ['an output without items', { type: 'image' }],
  ['items that are not a list', { items: 'https://evil.example.net' }],
  ['items without a url', { items: [{ type: 'text' }, null, 'text'] }],
])('an event of unknown status with %s has no problem', (_, output) => {
  expect(findOutputProblem(HOSTS, unknown({ output }))).toBeUndefined()
})
