import { ConfigurationError } from '@modelrun/kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { jobsOf, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { outcomeOf, problemOfError, type RightCall, wrongCalls } from '../../test/wrong-values.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { isSafeOutputUrl } from './output-urls.ts'
import { parseWebhook } from './parse-webhook.ts'
import {
  DRAIN_OPTIONS,
  EXPECT_OPTIONS,
  INBOX_OPTIONS,
  PAGE_OPTIONS,
  PREPARE_OPTIONS,
  SWEEP_OPTIONS,
} from './resolve-inbox-options.ts'

/** A function or method as a program without types sees it. */
type Untyped = (...args: unknown[]) => unknown

const untyped = (call: unknown) => call as Untyped
const { client } = jobsOf(() => SUCCEEDED_JOB)
const signed = { client, secret: SECRET, publicUrl: PUBLIC_URL }

const method = (name: keyof Inbox) => (inbox: Inbox) => untyped(inbox[name])
const INBOX: Record<string, RightCall & { of: (inbox: Inbox) => Untyped }> = {
  handle: { of: method('handle'), right: [new Request(PUBLIC_URL)] },
  callbackUrl: { of: method('callbackUrl'), right: [PUBLIC_URL] },
  prepare: { of: method('prepare'), right: [{}], members: { 0: PREPARE_OPTIONS } },
  expect: { of: method('expect'), right: ['job_1', {}], members: { 1: EXPECT_OPTIONS } },
  forget: { of: method('forget'), right: ['ref_1'] },
  listen: { of: method('listen'), right: ['job_1', () => {}] },
  sweep: { of: method('sweep'), right: [{ forMs: 1 }], members: { 0: SWEEP_OPTIONS } },
  drain: { of: method('drain'), right: [{}], members: { 0: DRAIN_OPTIONS } },
  'deadLetters.list': {
    of: ({ deadLetters }) => untyped(deadLetters.list),
    right: [{}],
    members: { 0: PAGE_OPTIONS },
  },
  'deadLetters.replay': { of: ({ deadLetters }) => untyped(deadLetters.replay), right: ['job_1'] },
  // Aborted, or it would wait.
  waitFor: {
    of: method('waitFor'),
    right: ['job_1', { signal: AbortSignal.abort() }],
    members: { 1: { signal: true } },
  },
}

const FUNCTIONS: Record<string, RightCall & { call: Untyped }> = {
  createInbox: { call: untyped(createInbox), right: [signed], members: { 0: INBOX_OPTIONS } },
  isSafeOutputUrl: {
    call: untyped(isSafeOutputUrl),
    right: ['https://a.example', {}],
    members: { 1: { allowedHosts: true } },
  },
  parseWebhook: { call: untyped(parseWebhook), right: [SUCCEEDED] },
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

/** What is wrong with the errors of calls, and how many of the calls had an argument that is wrong. */
async function problemsOf({ call, ...rightCall }: RightCall & { call: Untyped }) {
  const problems: string[] = []
  let wrongCount = 0
  for (const [what, args] of wrongCalls(rightCall)) {
    const outcome = await outcomeOf(() => call(...args))
    if (!('error' in outcome)) continue
    if (outcome.error instanceof ConfigurationError) wrongCount++
    const problem = problemOfError(outcome.error)
    if (problem !== undefined) problems.push(`${what}: ${problem}`)
  }
  return { problems, wrongCount }
}

describe('whatever is passed, the errors are ours, of', () => {
  test.each(Object.entries(INBOX))('inbox.%s', async (_, { of, ...rightCall }) => {
    const call: Untyped = async (...args) => {
      const inbox = createInbox(signed)
      const value = Promise.resolve(of(inbox)(...args))
      value.catch(() => {})
      await Promise.resolve()
      // Ends what would wait for a job.
      await inbox.drain()
      return await value
    }
    const { problems, wrongCount } = await problemsOf({ call, ...rightCall })
    expect(problems).toEqual([])
    expect(wrongCount).toBeGreaterThan(10)
  })

  test.each(Object.entries(FUNCTIONS))('%s', async (name, surface) => {
    const { problems, wrongCount } = await problemsOf(surface)
    expect(problems).toEqual([])
    if (name !== 'parseWebhook') expect(wrongCount).toBeGreaterThan(10)
  })
})
