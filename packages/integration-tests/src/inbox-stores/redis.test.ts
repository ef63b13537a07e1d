import { Redis } from 'ioredis'
import type { InboxStore } from 'modelrun/webhooks'
import { createRedisStore } from 'modelrun/webhooks/redis'
import { testInboxStore } from 'modelrun/webhooks/testing'
import { createClient } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'
import { claimRequest, leaseOf, walkThrough } from './walk-through.ts'

const { isMissing, note } = needs(...REDIS_PROGRAMS)

describe.skipIf(isMissing)(`the Redis store${note}`, () => {
  let service: Service
  let redis: Redis

  beforeAll(async () => {
    service = await startRedis()
    redis = new Redis(service.port)
  })
  afterAll(async () => {
    redis?.disconnect()
    await service?.stop()
  })
  beforeEach(async () => {
    await redis.flushall()
  })

  function store(namespace?: string, client = redis): InboxStore {
    return createRedisStore({
      eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
      namespace,
    })
  }

  describe('the contract', () => {
    testInboxStore(() => store(), { test })
  })

  it.each(['other', "'} ]]--", 'modelrun}:record', '{', '}', '\0', '\ud800', '\ud801'])(
    'of the namespace %j does not see the records and references of others',
    async (namespace) => {
      await store().expect('job', { pollInMs: 0 })
      await store().bind('ref', 'job', 60_000)
      expect(await store(namespace).get('job')).toBeUndefined()
      expect(await store(namespace).due(9, 'poll')).toEqual([])
      expect(await store(namespace).bind('ref', 'other', 60_000)).toBe('other')
      await walkThrough(store(namespace))
      expect(await store().list('expected', { limit: 9 })).toMatchObject([{ key: 'job' }])
    },
  )

  it('keeps all keys of a namespace in one slot, and lets none but references expire', async () => {
    await walkThrough(store('a{b}c'))
    await store('a{b}c').bind('ref', 'job', 60_000)
    const keys = await redis.keys('*')
    expect(keys.length).toBeGreaterThanOrEqual(8)
    for (const key of keys) {
      expect(key).toMatch(/^\{a%7Bb%7Dc\}:/)
      expect((await redis.pttl(key)) > 0, key).toBe(key.includes(':ref:'))
    }
  })

  it('leaves nothing behind of what was forgotten', async () => {
    await store().complete(await leaseOf(store(), 'done'), { keepMs: 0 })
    await store().release(await leaseOf(store(), 'dead'), { kind: 'dead', keepMs: 0 })
    await store().release(await leaseOf(store(), 'released'), { kind: 'forget' })
    await store().expect('postponed', { pollInMs: 0, ref: 'ref', context: {} })
    await store().postpone('postponed', 0, { kind: 'forget' })
    await expect.poll(async () => [await store().due(9, 'work'), await redis.keys('*')]).toEqual([[], []])
  })

  it('gives one of 50 claims of several connections the record', async () => {
    const clients = Array.from({ length: 5 }, () => new Redis(service.port))
    const stores = clients.map((client) => store('modelrun', client))
    const claims = Array.from({ length: 50 }, (_, index) => stores[index % 5]?.claim('job', claimRequest()))
    expect((await Promise.all(claims)).filter((result) => result?.kind === 'acquired')).toHaveLength(1)
    for (const client of clients) client.disconnect()
  })

  it('goes on when somebody deletes a record by hand', async () => {
    await store().expect('gone', { pollInMs: 0 })
    await store().expect('job', { pollInMs: 0 })
    await store().complete(await leaseOf(store(), 'done'), { keepMs: 0 })
    await redis.del('{modelrun}:record:gone', '{modelrun}:record:done')
    expect(await store().due(9, 'poll')).toMatchObject([{ key: 'job' }])
    expect(await store().list('expected', { limit: 9 })).toMatchObject([{ key: 'job' }])
    expect(await store().list('done', { limit: 9 })).toEqual([])
    expect((await redis.keys('*')).toSorted()).toEqual([
      '{modelrun}:due:poll',
      '{modelrun}:list:expected',
      '{modelrun}:record:job',
    ])
  })

  it('works with the client `redis`', async () => {
    const client = await createClient({ url: `redis://127.0.0.1:${service.port}` }).connect()
    await walkThrough(
      createRedisStore({ eval: (script, keys, args) => client.eval(script, { keys, arguments: args }) }),
    )
    await client.close()
  })

  it('works with a client that puts a prefix before each key', async () => {
    const client = new Redis(service.port, { keyPrefix: 'app:' })
    await walkThrough(store('modelrun', client))
    expect((await redis.keys('*')).filter((key) => !key.startsWith('app:{modelrun}:'))).toEqual([])
    client.disconnect()
  })

  it('migrate refuses a Redis that evicts records, and takes one that does not', async () => {
    await expect(store().migrate()).resolves.toBeUndefined()
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lfu')
    await expect(store().migrate()).resolves.toBeUndefined()
    await redis.config('SET', 'maxmemory', '1gb')
    await expect(store().migrate()).rejects.toThrow('maxmemory-policy allkeys-lfu')
    await redis.config('SET', 'maxmemory', '0')
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
  })

  it('migrate takes a Redis that does not tell about itself', async () => {
    await redis.call('ACL', 'SETUSER', 'app', 'on', 'nopass', '~*', '+@all', '-info', '-config')
    const client = new Redis(service.port, { username: 'app', password: 'any', enableReadyCheck: false })
    await expect(store('modelrun', client).migrate()).resolves.toBeUndefined()
    client.disconnect()
  })

  it('rejects when Redis refuses a change, and nothing has changed', async () => {
    await store().expect('job', { pollInMs: 0 })
    await redis.config('SET', 'maxmemory', '1')
    await expect(store().claim('job', claimRequest())).rejects.toThrow('OOM')
    await redis.config('SET', 'maxmemory', '0')
    expect(await store().get('job')).toMatchObject({ state: 'expected', fence: 0 })
  })
})
