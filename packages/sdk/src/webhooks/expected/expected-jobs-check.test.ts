import { expect, test } from 'vitest'
import { addEnded, openCore, storedDelivery, taskOf } from '../../../test/test-core.ts'
import { SUCCEEDED } from '../../../test/test-inbox.ts'
import { checkExpected } from './expected-jobs.ts'

const { job_id } = SUCCEEDED
const task = taskOf(job_id, { notedAt: 5, context: 'mine' })

test('a job whose result has not come is polled from now on, with its context', async () => {
  const { core, engine } = openCore()
  await expect(checkExpected(core, task)).resolves.toBeUndefined()
  await expect(engine.task('overdue', job_id)).resolves.toMatchObject({
    state: 'waiting',
    data: { notedAt: 5, context: 'mine' },
  })
})

test('a job whose result waits for its handler is not polled', async () => {
  const { core, engine } = openCore()
  await core.queues.results.add(job_id, storedDelivery())
  await checkExpected(core, task)
  await expect(engine.task('overdue', job_id)).resolves.toBeUndefined()
})

test('a job whose result was handled or is a dead letter is not polled, and its result is kept', async () => {
  const died = () => {
    throw new Error('no')
  }
  for (const [state, end] of [
    ['done', () => undefined],
    ['dead', died],
  ] as const) {
    const { core, engine } = openCore()
    await addEnded(core.queues.results, job_id, end)
    await checkExpected(core, task)
    await expect(engine.task('overdue', job_id)).resolves.toBeUndefined()
    await expect(engine.task('results', job_id)).resolves.toMatchObject({ state })
  }
})

test('a job whose delivery was dropped is polled, and the task of the dropped delivery is removed', async () => {
  const { core, engine } = openCore()
  await addEnded(core.queues.results, job_id, () => ({ isDropped: true }))
  await checkExpected(core, task)
  await expect(engine.task('overdue', job_id)).resolves.toMatchObject({ state: 'waiting' })
  await expect(engine.task('results', job_id)).resolves.toBeUndefined()
})

test('a job whose context an older version wrote and this one cannot read counts as noted now', async () => {
  const { core, engine, clock } = openCore()
  await checkExpected(core, taskOf(job_id, { old: true }))
  await expect(engine.task('overdue', job_id)).resolves.toMatchObject({ data: { notedAt: clock.now() } })
})
