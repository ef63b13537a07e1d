import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { createMissingJobs } from './check-unverified.ts'

test('a job that is missing is remembered for ten minutes, from when it was last missing', async () => {
  const clock = createManualClock()
  const missing = createMissingJobs(clock)
  missing.add('job_1')
  await clock.advance(400_000)
  missing.add('job_1')
  await clock.advance(599_999)
  expect([missing.has('job_1'), missing.has('job_2')]).toEqual([true, false])
  await clock.advance(1)
  expect(missing.has('job_1')).toBe(false)
})

test('of more than 1000 missing jobs, the one that was missing longest ago is forgotten', () => {
  const missing = createMissingJobs(createManualClock())
  for (let n = 0; n < 1_000; n++) missing.add(`job_${n}`)
  missing.add('job_0')
  missing.add('job_1000')
  expect(['job_0', 'job_1', 'job_2', 'job_1000'].filter((jobId) => !missing.has(jobId))).toEqual(['job_1'])
})
