import type { TaskRecord } from '@modelrun/kit'
import { expect, it } from 'vitest'
import { audit } from './audit.ts'
import type { JournalEntry } from './journal.ts'

const LOCK_MS = 1_000

type Fact = Omit<JournalEntry, 'job' | 'fence' | 'pid' | 'atMs'>

const entry = (fence: number, atMs: number, fact: object) =>
  ({ ...(fact as Fact), job: 'job_0', fence, pid: fence, atMs }) as JournalEntry
const locked = (fence: number, atMs: number) => entry(fence, atMs, { what: 'locked', untilMs: atMs + LOCK_MS })
const ended = (fence: number, atMs: number, how = 'done') => entry(fence, atMs, { what: 'ended', how })
const started = (fence: number, atMs: number, faults: object = {}) =>
  entry(fence, atMs, { what: 'started', source: 'webhook', isLate: false, isForged: false, ...faults })

const record = (state: TaskRecord['state'], code = 'error'): TaskRecord => ({
  ...{ id: 'job_0', state, data: null, addedAt: 0, cursor: '1' },
  error: state === 'dead' ? { code, message: 'It died.' } : undefined,
})
const done = record('done')
const deaths = (count: number) => Array.from({ length: count }, (_, index) => locked(index + 1, index * 2 * LOCK_MS))
const failedRun = (fence: number) => [locked(fence, fence * 9_000), ended(fence, fence * 9_000 + 5, 'failed')]

interface Case {
  entries: JournalEntry[]
  record?: TaskRecord
  effects?: number
  isHopeless?: boolean
}

const kindsOf = ({ entries, record: found = done, effects = 1, isHopeless = false }: Case) => {
  const evidence = { entries, records: new Map([['job_0', found]]), effects: new Map([['job_0', effects]]) }
  return audit({ ...evidence, isHopeless: () => isHopeless }).map(({ kind }) => kind)
}

it.each<[title: string, given: Case]>([
  ['was done once', { entries: [locked(1, 0), started(1, 1), ended(1, 5)] }],
  ['another had after the lock', { entries: [locked(1, 0), locked(2, LOCK_MS), ended(2, LOCK_MS + 5)] }],
  ['another had after its end', { entries: [locked(1, 0), ended(1, 5), locked(2, 6), ended(2, 9)] }],
  ['fails for good', { entries: [locked(1, 0), ended(1, 5)], record: record('dead'), effects: 0, isHopeless: true }],
  ['ended four processes', { entries: deaths(4), record: record('dead', 'process_died'), effects: 0 }],
])('finds nothing in a job that %s', (_, given) => {
  expect(kindsOf(given)).toEqual([])
})

const doneOnce = [locked(1, 0), ended(1, 5)]

it.each<[kind: string, given: Case]>([
  ['lost', { entries: [locked(1, 0)], record: record('running') }],
  ['lost', { entries: doneOnce, effects: 0 }],
  ['dead wrongly', { entries: doneOnce, record: record('dead') }],
  ['dead wrongly', { entries: deaths(2), record: record('dead', 'process_died') }],
  ['dead wrongly', { entries: [...deaths(2), ...failedRun(3)], record: record('dead', 'process_died') }],
  ['twice', { entries: doneOnce, effects: 2 }],
  ['overlap', { entries: [locked(1, 0), locked(2, LOCK_MS / 2), ended(2, LOCK_MS)] }],
  ['late', { entries: [locked(1, 0), started(1, 1, { isLate: true }), ended(1, 5)] }],
  ['forged', { entries: [locked(1, 0), started(1, 1, { isForged: true }), ended(1, 5)] }],
])('finds %s', (kind, given) => {
  expect(kindsOf(given)).toEqual([kind])
})

it('finds a job that is not in the engine, and one that was invented', () => {
  const evidence = {
    entries: [{ ...started(1, 0), job: 'invented' }],
    records: new Map([['job_0', undefined]]),
    effects: new Map(),
    isHopeless: () => false,
  }
  expect(audit(evidence).map(({ kind, job }) => [kind, job])).toEqual([
    ['lost', 'job_0'],
    ['invented', 'invented'],
  ])
})
