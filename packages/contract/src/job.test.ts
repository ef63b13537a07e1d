import { expect, test } from 'vitest'
import { JOB_STATUSES, JOB_TRANSITIONS, type KnownJobStatus, TERMINAL_JOB_STATUSES } from './job.ts'

test('names the five job statuses, without the `completed` of a run response (section 3)', () => {
  expect(JOB_STATUSES).toEqual(['queued', 'processing', 'succeeded', 'failed', 'cancelled'])
})

test('ends a job as succeeded, failed or cancelled (section 3)', () => {
  expect(TERMINAL_JOB_STATUSES).toEqual(['succeeded', 'failed', 'cancelled'])
})

test('never leaves a terminal status (section 3)', () => {
  const left = new Set<KnownJobStatus>(JOB_TRANSITIONS.map((transition) => transition.from))
  expect(TERMINAL_JOB_STATUSES.filter((status) => left.has(status))).toEqual([])
})

test('cancels a queued or a processing job, and nothing else (section 3)', () => {
  const cancels = JOB_TRANSITIONS.filter((transition) => transition.trigger === 'cancel')
  expect(cancels.map(({ from, to }) => [from, to])).toEqual([
    ['queued', 'cancelled'],
    ['processing', 'cancelled'],
  ])
})

test('ends a processing job when the provider does (section 3)', () => {
  expect(JOB_TRANSITIONS).toContainEqual({ from: 'processing', trigger: 'provider_completed', to: 'succeeded' })
  expect(JOB_TRANSITIONS).toContainEqual({ from: 'processing', trigger: 'provider_failed', to: 'failed' })
})

test('reaches every status but queued by a transition (section 3)', () => {
  expect(new Set(JOB_TRANSITIONS.map((transition) => transition.to))).toEqual(
    new Set(['processing', 'succeeded', 'failed', 'cancelled']),
  )
})
