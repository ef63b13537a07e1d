import { expect, test } from 'vitest'
import { caught } from '../test/caught.ts'
import { ConnectionError } from './errors/transport-errors.ts'
import { loadPart } from './load-part.ts'

const failing = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))

test('a part that cannot be loaded before a run says that nothing was sent', async () => {
  const error = await caught(loadPart(failing), ConnectionError)
  expect(error).toMatchObject({ submission: 'not_sent' })
  expect(error.jobId).toBeUndefined()
  expect(error.cause).toBeInstanceOf(TypeError)
  expect(error.message).toContain('Failed to fetch dynamically imported module. Nothing was sent.')
})

test('a part that cannot be loaded for a result leaves the job on the error, with what brings it back', async () => {
  const error = await caught(loadPart(failing, 'job_1'), ConnectionError)
  expect(error).toMatchObject({ submission: 'accepted', jobId: 'job_1' })
  expect(error.message).toContain("`jobs.attach('job_1').result()`")
})
