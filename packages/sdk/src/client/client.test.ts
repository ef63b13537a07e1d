import { inspect } from 'node:util'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../test/caught.ts'
import { printedForms } from '../../test/printed-forms.ts'
import { json, text } from '../../test/scripted-service.ts'
import { API_KEY, BASE_URL, createTestClient, recordLog } from '../../test/test-client.ts'
import { ModelRun } from './client.ts'
import { ServerError } from './errors/api-errors.ts'

const models = json(200, fixtures.models.listEmpty.body)

describe('a client', () => {
  test('uses the global fetch as it is at the time of the call', async () => {
    const client = new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL })
    const { service } = createTestClient([models])
    vi.stubGlobal('fetch', service.fetch)
    await client.models.list()
    expect(service.received).toHaveLength(1)
  })

  test('shows its key in no printed form, nor do its parts', () => {
    const { client } = createTestClient([])
    const printed = [client, client.models, client.jobs, client.files, client.jobs.attach('job_1'), { client }]
    for (const value of printed) expect(printedForms(value)).not.toContain(API_KEY)
    expect(inspect(client)).toContain('ModelRun')
  })

  test('shows its key in no log line', async () => {
    const { lines, log } = recordLog()
    const { client, clock } = createTestClient([text(500, API_KEY)], log)
    await caught(clock.run(client.models.list()), ServerError)
    expect(lines).toHaveLength(3)
    expect(lines.join()).not.toContain(API_KEY)
  })
})

describe('withOptions', () => {
  test('makes a client with some options changed and leaves the first one as it is', async () => {
    const { client, service } = createTestClient([text(500, '')], { maxRetries: 0, headers: { 'x-tenant': 'one' } })
    const other = client.withOptions({ apiKey: 'sk_test_another_key', headers: { 'x-tenant': 'two' } })
    await caught(other.models.list(), ServerError)
    await caught(client.models.list(), ServerError)
    expect(service.received.map(({ headers }) => [headers.get('authorization'), headers.get('x-tenant')])).toEqual([
      ['Bearer sk_test_another_key', 'two'],
      [`Bearer ${API_KEY}`, 'one'],
    ])
  })

  test('does not change an option that is undefined', async () => {
    const { client, service } = createTestClient([text(500, '')], { maxRetries: 0 })
    await caught(client.withOptions({ apiKey: undefined, maxRetries: undefined }).models.list(), ServerError)
    expect(service.received).toHaveLength(1)
    expect(service.received[0]?.headers.get('authorization')).toBe(`Bearer ${API_KEY}`)
  })
})
