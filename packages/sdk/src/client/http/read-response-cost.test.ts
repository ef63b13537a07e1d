import { expect, test } from 'vitest'
import { text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'

const zeros = `{"data":{"status":"succeeded","output":{"type":"image","items":[${'0,'.repeat(2_000_000)}0]}}}`

/** Processor time of the whole process: what a hostile body costs, however busy the machine is. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

test.each([
  ['items that are none', zeros],
  ['empty items', `{"data":{"status":"succeeded","output":{"type":"image","items":[${'{},'.repeat(1_000_000)}{}]}}}`],
  ['members', `{"data":{"status":"queued"${Array.from({ length: 200_000 }, (_, i) => `,"k${i}":1`).join('')}}}`],
  ['levels', `{"data":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
])('a body of %s costs what its size costs, and the error names the job', async (_, body) => {
  const { client } = createTestClient([text(200, body)])
  const before = cpuMs()
  await expect(client.jobs.get('job_1')).rejects.toMatchObject({ name: 'InvalidResponseError', jobId: 'job_1' })
  expect(cpuMs() - before).toBeLessThan(1_000)
})
