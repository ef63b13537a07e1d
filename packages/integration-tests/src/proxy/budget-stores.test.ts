import type { BudgetStore } from 'modelrun/proxy'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksUnder, programFolder, readGuides } from '../guide-programs.ts'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'

const guide = await readGuides('browsers.md')
const [REDIS_STORE = '', POSTGRES_STORE = ''] = blocksUnder(guide, 'Budgets')
const [POSTGRES_TABLES = ''] = blocksUnder(guide, 'Budgets', 'sql')

const programs = programFolder()

/** Checks a store by the contract of `BudgetStore`. */
function testBudgetStore(getStore: () => BudgetStore): void {
  const take = (id: string, credits: number, more: object = {}) =>
    getStore().reserve({ account: 'a', id, credits, limit: 10, expiresInMs: 600_000, ...more })

  it('reserves up to the limit, settles once, and knows what is used', async () => {
    const store = getStore()
    await expect(store.balance('a')).resolves.toBe(0)
    await expect(take('1', 4)).resolves.toBe(true)
    await expect(take('2', 6)).resolves.toBe(true)
    await expect(take('3', 0.5)).resolves.toBe(false)
    await store.settle({ account: 'a', id: '1', charged: 1.5 })
    await store.settle({ account: 'a', id: '1', charged: 0 })
    await store.settle({ account: 'a', id: '3', charged: 0 })
    await store.settle({ account: 'b', id: '2', charged: 0 })
    await expect(store.balance('a')).resolves.toBe(7.5)
    await store.settle({ account: 'a', id: '2', charged: 0 })
    await expect(store.balance('a')).resolves.toBe(1.5)
    await expect(store.balance('b')).resolves.toBe(0)
  })

  it('rejects the first reservation too when it is over the limit', async () => {
    await expect(take('1', 11, { account: 'c' })).resolves.toBe(false)
    await expect(getStore().balance('c')).resolves.toBe(0)
  })

  it('lets no more through than the limit when all come at the same moment', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `race-${index}`)
    const taken = await Promise.all(ids.map((id) => take(id, 4, { account: 'd', expiresInMs: undefined })))
    expect(taken.filter(Boolean)).toHaveLength(2)
    await expect(getStore().balance('d')).resolves.toBe(8)
    const settled = ids.flatMap((id) => [id, id]).map((id) => getStore().settle({ account: 'd', id, charged: 0 }))
    await Promise.all(settled)
    await expect(getStore().balance('d')).resolves.toBe(0)
  })
}

/** A block of the guide, which exports a store; and how to close what it has opened. */
interface LoadedBlock {
  store: BudgetStore
  close(): Promise<void>
}

async function load(code: string, url: { REDIS_URL: string } | { DATABASE_URL: string }): Promise<LoadedBlock> {
  Object.assign(process.env, url)
  const client = 'REDIS_URL' in url ? 'redis.quit()' : 'pool.end()'
  const program = `${code}\nexport const close = async () => void (await ${client})`
  const [, file = ''] = await programs.write(`${client}.js`, program)
  return (await import(file)) as LoadedBlock
}

const redisNeeds = needs(...REDIS_PROGRAMS)
describe.skipIf(redisNeeds.isMissing)(`the budget store of the guide in Redis${redisNeeds.note}`, () => {
  let service: Service
  let block: LoadedBlock
  beforeAll(async () => {
    service = await startRedis()
    block = await load(REDIS_STORE, { REDIS_URL: `redis://127.0.0.1:${service.port}` })
  })
  afterAll(async () => {
    await block?.close()
    await service?.stop()
  })
  testBudgetStore(() => block.store)
})

const postgresNeeds = needs(...POSTGRES_PROGRAMS)
describe.skipIf(postgresNeeds.isMissing)(`the budget store of the guide in Postgres${postgresNeeds.note}`, () => {
  let service: PostgresService
  let block: LoadedBlock
  beforeAll(async () => {
    service = await startPostgres()
    const client = new pg.Client({ connectionString: service.url })
    await client.connect()
    await client.query(POSTGRES_TABLES)
    await client.end()
    block = await load(POSTGRES_STORE, { DATABASE_URL: service.url })
  })
  afterAll(async () => {
    await block?.close()
    await service?.stop()
  })
  testBudgetStore(() => block.store)
})
