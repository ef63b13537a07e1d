import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRunError } from 'modelrun'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ROOT } from '../../packages/integration-tests/src/code-blocks.ts'
import {
  type HostileServer,
  startHostileServer,
} from '../../packages/integration-tests/src/hostile-service/hostile-server.ts'
import { json } from '../../packages/integration-tests/src/hostile-service/server-responses.ts'
import { createTestClient, observe } from '../../packages/integration-tests/src/hostile-service/test-client.ts'
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
    // For the process: that of a caller proves nothing.
    vi.stubGlobal('fetch', failure.fetch)
    const { baseUrl = '', ...options } = await failure.options(ground)
    const client = createTestClient(baseUrl, { maxRetries: 0, ...options })
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

test('the guide on networks explains every reason that a network gives', async () => {
  const text = await readFile(join(ROOT, 'docs/guides/networks.md'), 'utf8')
  const reasons = FAILURES.flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []))
  const unexplained = reasons.filter((reason) => !text.includes(reason.replace('HTTP ', '')))
  expect([...new Set(unexplained)]).toEqual([])
})
