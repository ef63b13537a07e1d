import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doTheJob, expected } from './job.mts'

test('ES modules do the job', async () => {
  assert.deepEqual(await doTheJob(), expected)
})
