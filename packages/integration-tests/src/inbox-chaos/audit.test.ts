import type { InboxRecord } from 'modelrun/webhooks'
import { expect, it } from 'vitest'
import { audit } from './audit.ts'
import type { Fact, JournalEntry } from './journal.ts'

const job = 'job_0'

function entry(atMs: number, fence: number, fact: Fact): JournalEntry {
  return { ...fact, atMs, fence, job, pid: fence }
}

const claimed = (fence: number, atMs: number, sentAtMs = atMs) =>
  entry(atMs, fence, { what: 'claimed', owner: 'o', sentAtMs })
const completed = (fence: number, atMs: number) => [
  entry(atMs, fence, { what: 'ending' }),
  entry(atMs, fence, { what: 'completed' }),
]

function record(fence: number, state: InboxRecord['state'] = 'done'): InboxRecord {
  const nothing = { ref: undefined, context: undefined, payload: undefined, lastError: undefined }
  return { key: job, state, fence, attempt: fence, polls: 0, ageMs: 0, dueInMs: 0, ...nothing }
}

const kindsOf = (entries: JournalEntry[], found: InboxRecord | undefined, dropped: string[] = []) =>
  audit({ entries, records: new Map([[job, found]]), dropped: new Set(dropped) }).violations.map(({ kind }) => kind)

it('finds nothing in a job that was completed once', () => {
  expect(kindsOf([claimed(1, 0), ...completed(1, 5)], record(1))).toEqual([])
})

it('finds nothing in a lease that had ended when its process heard of it', () => {
  expect(kindsOf([claimed(2, 700), claimed(1, 710, 0), ...completed(2, 720)], record(2))).toEqual([])
})

it('counts a completion that its process could not note', () => {
  const unnoted = [claimed(1, 0), entry(5, 1, { what: 'ending' })]
  expect(kindsOf(unnoted, record(1))).toEqual([])
  expect(kindsOf(unnoted, record(1, 'leased'))).toEqual(['lost'])
})

it.each([
  ['lost', [], undefined],
  ['lost', [claimed(1, 0)], record(1)],
  ['lost', [claimed(1, 0), ...completed(1, 5)], record(1, 'dead')],
  ['completed_twice', [claimed(1, 0), claimed(2, 700), ...completed(1, 710), ...completed(2, 720)], record(2)],
  ['taken_after_done', [claimed(1, 0), ...completed(1, 5), claimed(2, 700)], record(2)],
  ['overlap', [claimed(1, 0), claimed(2, 500), ...completed(2, 510)], record(2)],
] as const)('finds %s', (kind, entries, found) => {
  expect(kindsOf([...entries], found)).toEqual([kind])
})

it('finds a dropped delivery whose result nobody looked for', () => {
  const began = (source: 'webhook' | 'poll') => [
    claimed(1, 0),
    entry(1, 1, { what: 'began', source }),
    ...completed(1, 5),
  ]
  expect(kindsOf(began('webhook'), record(1), [job])).toEqual(['not_recovered'])
  expect(kindsOf(began('poll'), record(1), [job])).toEqual([])
})
