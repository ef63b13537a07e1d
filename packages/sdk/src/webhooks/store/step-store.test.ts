import { expect, test } from 'vitest'
import { createStepStore, type RecordTable } from './step-store.ts'

test('what nobody would tell again is urgent, and the end of a lease is not', async () => {
  const urgencies: (string | undefined)[] = []
  const table: Pick<RecordTable, 'change'> = {
    change: (_key, step, urgency) => {
      urgencies.push(urgency)
      return step(undefined, 0).result
    },
  }
  const store = createStepStore(table as RecordTable) // the calls below use nothing else of it
  const lease = { key: 'job_1', owner: 'me', fence: 1, attempt: 1 }
  await store.expect('job_1', { pollInMs: 0 })
  await store.claim('job_1', { owner: 'me', leaseMs: 1, payload: {}, fingerprint: 'x' })
  await store.replay('job_1')
  await store.extend(lease, 1)
  await store.complete(lease, { keepMs: 1 })
  await store.release(lease, { kind: 'forget' })
  expect(urgencies).toEqual(['urgent', 'urgent', 'urgent', undefined, undefined, undefined])
})
