import { channel } from 'node:diagnostics_channel'
import { fixtures } from '@modelrun/contract/fixtures'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { broken, errorResponse, json } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient, recordLog } from '../../../test/test-client.ts'
import { ConnectionError } from '../errors/transport-errors.ts'
import { ATTEMPT_CHANNEL } from './logger.ts'

const models = json(200, fixtures.models.listEmpty.body, { 'x-request-id': 'req_2' })

describe('the diagnostics channel', () => {
  const events: unknown[] = []
  const listen = (event: unknown) => void events.push(event)

  beforeEach(() => {
    events.length = 0
    channel(ATTEMPT_CHANNEL).subscribe(listen)
  })

  afterEach(() => {
    channel(ATTEMPT_CHANNEL).unsubscribe(listen)
  })

  test('gets one event for each attempt, without headers and bodies', async () => {
    const limited = errorResponse(429, 'LIMITED', { 'retry-after': '3', 'x-request-id': 'req_1' })
    const { client, clock } = createTestClient([limited, models])
    await clock.run(client.models.list({ search: 'secret search' }))
    const each = { method: 'GET', path: '/v1/models', durationMs: 0 }
    expect(events).toEqual([
      { ...each, attempt: 1, status: 429, reason: 'HTTP 429', requestId: 'req_1', delayMs: 3_000 },
      { ...each, attempt: 2, status: 200, requestId: 'req_2' },
    ])
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${API_KEY}|secret search`))
  })

  test('says why the last attempt failed', async () => {
    const { client } = createTestClient([broken('ECONNRESET')])
    await caught(client.run('aurora-image', {}), ConnectionError)
    expect(events).toMatchObject([{ method: 'POST', reason: 'ECONNRESET', status: undefined, delayMs: undefined }])
  })
})

describe('the log', () => {
  test('has a line at info for each retry and one at debug for each other attempt', async () => {
    const { lines, log } = recordLog()
    const { client, clock } = createTestClient([broken('ECONNRESET'), models], log)
    await clock.run(client.models.list())
    expect(lines).toEqual([
      'info modelrun: GET /v1/models: ECONNRESET in 0 ms (attempt 1, again in 250 ms)',
      'debug modelrun: GET /v1/models: HTTP 200 in 0 ms (attempt 2, request req_2)',
    ])
  })

  test('that cannot be written does not cost the result of a run', async () => {
    const fail = () => expect.unreachable()
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    const { client } = createTestClient([json(200, fixtures.runs.completed.body)], { logger, logLevel: 'debug' })
    await expect(client.run('aurora-image', {})).resolves.toMatchObject({ status: 'succeeded' })
  })
})
