import { describe, expect, it } from 'vitest'
import { createRedisStore } from './redis-store.ts'

function replying(reply: unknown) {
  return createRedisStore({ eval: async () => reply })
}

const INFO = 'used_memory:1\r\nmaxmemory:104857600\r\nmaxmemory_policy:allkeys-lru\r\n'

describe('a Redis store', () => {
  it('refuses a Redis that evicts records', async () => {
    await expect(replying(INFO).migrate()).rejects.toThrow('maxmemory-policy allkeys-lru')
  })

  it.each([
    ['keeps records', INFO.replace('allkeys-lru', 'noeviction')],
    ['evicts keys that expire alone', INFO.replace('allkeys', 'volatile')],
    ['has no limit of memory', INFO.replace('104857600', '0')],
    ['does not say', ''],
  ])('takes a Redis that %s', async (_, info) => {
    await expect(replying(info).migrate()).resolves.toBeUndefined()
  })

  it('rejects when Redis is down, also when it only looks', async () => {
    const store = createRedisStore({ eval: () => Promise.reject(new Error('connect ECONNREFUSED')) })
    await expect(store.migrate()).rejects.toThrow('ECONNREFUSED')
  })

  it('refuses an empty namespace: its keys would be in many slots', () => {
    expect(() => createRedisStore({ eval: async () => [], namespace: '' })).toThrow(
      'must be a string that is not empty',
    )
  })

  it('says what a client must give', async () => {
    const get = (reply: unknown) => replying(reply).get('job')
    await expect(get('OK')).rejects.toThrow('gave string instead of a list')
    await expect(get(null)).rejects.toThrow('gave null instead of a list')
  })

  it('refuses a client that makes objects of the JSON in a record', async () => {
    const record = ['job', 'leased', 'me', 1, 1, 0, 5, 9, null, null, { parsed: true }, 'x', null]
    await expect(replying([7, [record]]).get('job')).rejects.toThrow('turn off conversions')
  })

  it('takes numbers as numbers and as text, and asks for one root key', async () => {
    const record = ['job', 'leased', 'me', '3', '2', '0', '5', '9', null, null, '{}', 'x', null]
    const asked: unknown[] = []
    const store = createRedisStore({
      namespace: 'a{b}:ü\0',
      eval: async (_, keys, args) => {
        asked.push(keys, args)
        return ['7', [record]]
      },
    })
    expect(await store.get('job')).toMatchObject({ fence: 3, attempt: 2, ageMs: 2, dueInMs: 2 })
    expect(asked).toEqual([['{a%7Bb%7D%3A%C3%BC%5Cu0000}'], ['job']])
  })
})
