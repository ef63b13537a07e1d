import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRunError } from 'modelrun'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type HostileServer, startHostileServer } from '../hostile-service/hostile-server.ts'
import { json } from '../hostile-service/server-responses.ts'
import { createTestClient, observe } from '../hostile-service/test-client.ts'
import { FAILURES, type Ground } from './failures.ts'

let service: HostileServer
let ground: Ground

beforeEach(async () => {
  service = await startHostileServer({ POST: [json(202, fixtures.runs.queued.body)] })
  ground = { serviceUrl: service.url, opened: [] }
})

afterEach(async () => {
  await Promise.all([service, ...ground.opened].map((listener) => listener.close()))
})

describe('a run whose network fails', () => {
  test.each(FAILURES)('because $name, with $of: $reason, $submission', async (failure) => {
    const { baseUrl = '', ...options } = await failure.options(ground)
    const client = createTestClient(baseUrl, { fetch: failure.fetch, maxRetries: 0, ...options })
    const { settled } = await observe((signal) => client.submit('aurora-image', { prompt: 'x' }, { signal }))

    if (!(settled instanceof ModelRunError)) throw settled
    expect(settled.attempts).toMatchObject([{ reason: matching(failure.reason) }])
    expect(settled.submission).toBe(failure.submission)
    expect(settled.message).toContain(failure.hint ?? '')
    // Nothing that was not sent may ever have come.
    if (failure.submission === 'not_sent') expect(service.requests).toEqual([])
  })
})

const matching = (reason: string | RegExp) => (typeof reason === 'string' ? reason : expect.stringMatching(reason))
