import { ConfigurationError } from '@modelrun/kit'
import { expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { WaitOptions } from '../job-handle.ts'

const wrong: WaitOptions = { timeoutMs: -1 }

/** Each call that takes options, by the name that errors give it. */
function calls() {
  const { client, service } = createTestClient([])
  const { jobs } = client
  const job = jobs.attach('job_1')
  const all: Record<string, () => unknown> = {
    'job.get': () => job.get(wrong),
    'job.cancel': () => job.cancel(wrong),
    'job.result': () => job.result(wrong),
    'job.updates': () => job.updates(wrong),
    'client.jobs.get': () => jobs.get('job_1', wrong),
    'client.jobs.cancel': () => jobs.cancel('job_1', wrong),
    'client.jobs.settle': () => jobs.settle(['job_1'], wrong),
  }
  return { service, jobs, all }
}

test.each(Object.keys(calls().all))('%s says that it is the call with the wrong option', async (name) => {
  const { all, service } = calls()
  const error = await caught((async () => await all[name]?.())(), ConfigurationError)
  expect(error.message).toContain(`\`timeoutMs\` of \`${name}\` must be`)
  expect(service.received).toHaveLength(0)
})

test('one id is not a list of jobs, although it has letters', () => {
  const { jobs } = calls()
  expect(() => jobs.settle('job_1')).toThrow('`jobs` of `client.jobs.settle` must be a list')
})
