import { fixtures } from '@modelrun/contract/fixtures'
import { expect, test } from 'vitest'
import { json } from '../../test/scripted-service.ts'
import { createTestClient } from '../../test/test-client.ts'
import { createTestProxy, RUN_PATH } from '../../test/test-proxy.ts'

const costing = (credits_per_run: number) =>
  json(200, { ...fixtures.models.textToImage.body, pricing: { credits_per_run } })
const completed = json(200, fixtures.runs.completed.body)
const run = { body: { input: { prompt: 'a red fox' } } }

test.each([{ maxCredits: 4 }, { budget: { credits: 10 } }, { budget: { credits: 10 }, maxCredits: 9 }])(
  'a price that rises after it was reserved is not paid: %j',
  async (limits) => {
    const { client, service } = createTestClient([costing(4), costing(5), costing(4), costing(4), completed])
    const { proxy, send } = createTestProxy([], { client, ...limits })
    const rejected = await send(`POST ${RUN_PATH}`, run)
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET'])
    if (limits.budget) expect(await proxy.balance({ user: 'anna' })).toMatchObject({ used: 0 })
    expect((await send(`POST ${RUN_PATH}`, run)).status).toBe(200)
    expect(service.received.map(({ method }) => method).slice(2)).toEqual(['GET', 'GET', 'POST'])
  },
)
