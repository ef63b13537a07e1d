import type { ListModelsQuery, ModelSummary } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { collect } from '../../../test/collect.ts'
import { json, type Step, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { ServerError } from '../errors/api-errors.ts'

const [MODEL] = fixtures.models.listFirstPage.body.models

const named = (id: string): Partial<ModelSummary> => ({ ...MODEL, id })

/** A service with models `m0`, `m1`, … which applies limit and offset as section 4.1 says, but for its faults. */
function pagingService(
  count: number,
  fault: { smallPages?: number; ignoresOffset?: boolean; total?: number; offset?: number } = {},
): Step {
  const all = Array.from({ length: count }, (_, index) => named(`m${index}`))
  return (request) => {
    const query = new URL(request.url).searchParams
    const limit = Math.min(Number(query.get('limit') ?? 20), fault.smallPages ?? 100)
    const offset = fault.ignoresOffset ? 0 : Number(query.get('offset') ?? 0)
    const models = all.slice(offset, offset + limit)
    return Response.json({
      models,
      total: fault.total ?? count,
      limit: Number(query.get('limit') ?? 20),
      offset: fault.offset ?? offset,
    })
  }
}

const idsOf = async (list: AsyncIterable<ModelSummary>) => (await collect(list)).map(({ id }) => id)

describe('a page of models (section 4.1)', () => {
  test('shows the models, the total, and the limit and offset that the service applied', async () => {
    const { body } = fixtures.models.listFirstPage
    const { client } = createTestClient([json(200, body)])
    const page = await client.models.list()
    expect({ ...page }).toEqual(body)
    expect(page.hasNextPage()).toBe(true)
  })

  test('gives the page after it, and nothing after the last one', async () => {
    const { client, service } = createTestClient([pagingService(5)])
    const first = await client.models.list({ limit: 3 })
    const second = await first.getNextPage()
    expect(second?.models.map(({ id }) => id)).toEqual(['m3', 'm4'])
    expect(second?.hasNextPage()).toBe(false)
    await expect(second?.getNextPage()).resolves.toBeUndefined()
    expect(service.received).toHaveLength(2)
  })

  test('keeps the filters of the query on every page', async () => {
    const { client, service } = createTestClient([pagingService(3)])
    const query: ListModelsQuery = { category: 'text-to-image', search: 'a b', limit: 2 }
    await idsOf(client.models.list(query))
    expect(service.received.map(({ path }) => path)).toEqual([
      '/v1/models?category=text-to-image&search=a+b&limit=2',
      '/v1/models?category=text-to-image&search=a+b&limit=2&offset=2',
    ])
  })

  test.each([
    ['anywhere', pagingService(5), { offset: 3, limit: 1 }, [3, 4]],
    ['fewer models than the limit', pagingService(5, { smallPages: 2 }), { limit: 4 }, [0, 1, 2, 3, 4]],
    ['a total that is too large', pagingService(2, { total: 1_000 }), { limit: 2 }, [0, 1]],
    ['a service that ignores the offset', pagingService(4, { ignoresOffset: true }), { limit: 2 }, [0, 1]],
    ['one that has no total, too', pagingService(4, { ignoresOffset: true, total: -1 }), { limit: 2 }, [0, 1]],
    ['one that says another offset', pagingService(3, { offset: 0, total: 9 }), { limit: 2 }, [0, 1, 2]],
  ] as const)('comes to an end, with %s', async (...row) => {
    const [, service, query, numbers] = row
    const { client } = createTestClient([service])
    await expect(idsOf(client.models.list(query))).resolves.toEqual(numbers.map((number) => `m${number}`))
  })
})

describe('the list of models', () => {
  test('is iterated over all pages with for await, from the promise or from a page', async () => {
    const { client } = createTestClient([pagingService(3)])
    await expect(idsOf(client.models.list({ limit: 1 }))).resolves.toEqual(['m0', 'm1', 'm2'])
    await expect(idsOf(await client.models.list({ limit: 1 }))).resolves.toEqual(['m0', 'm1', 'm2'])
  })

  test('asks for no further page once the loop is left', async () => {
    const { client, service } = createTestClient([pagingService(10)])
    for await (const { id } of client.models.list({ limit: 2 })) if (id === 'm1') break
    expect(service.received).toHaveLength(1)
  })

  test('gives the HTTP response of its first page', async () => {
    const { client } = createTestClient([json(200, fixtures.models.listEmpty.body, { 'x-request-id': 'req_1' })])
    const { data, requestId, response } = await client.models.list().withResponse()
    expect([data.models, requestId, response.status]).toEqual([[], 'req_1', 200])
  })

  test('fails in the loop when a later page fails', async () => {
    const { client } = createTestClient([pagingService(2), text(500, '')], { maxRetries: 0 })
    const error = await caught(idsOf(client.models.list({ limit: 1 })), ServerError)
    expect(error.attempts).toHaveLength(1)
  })
})
