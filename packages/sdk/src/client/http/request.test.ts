import { getEventListeners } from 'node:events'
import { ConfigurationError } from '@modelrun/kit'
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

test('a call about something without an id names the argument, and sends nothing', async () => {
  const { client, service } = createTestClient([json(200, { data: { status: 'queued' } })])
  const error = await caught(client.jobs.get(''), ConfigurationError)
  expect(error.message).toBe('`id` of `client.jobs.get` must be an id, not "". Nothing was sent.')
  expect(service.received).toHaveLength(0)
})
