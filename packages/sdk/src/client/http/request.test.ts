import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { errorResponse, json } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { PermissionDeniedError } from '../errors/api-errors.ts'

test('a call leaves nothing on the signal of its caller, whether it resolves or rejects', async () => {
  const { signal } = new AbortController()
  const { client, clock } = createTestClient([
    json(200, { data: { status: 'queued' } }),
    errorResponse(403, 'FORBIDDEN'),
  ])
  await client.jobs.get('job_1', { signal })
  await caught(client.jobs.get('job_1', { signal }), PermissionDeniedError)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  expect(clock.timerCount).toBe(0)
})
