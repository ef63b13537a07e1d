import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Codec, createRuns, type Engine } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { describe, expect, it, onTestFinished } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { ENGINE_STORES } from './engine-stores.ts'
import { openEngine } from './open-engine.ts'
import { useStore } from './use-store.ts'

/** AES-256-GCM with a random start: no two texts are equal. */
function encryption(key: Buffer): Codec {
  return {
    encode(text) {
      const start = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, start)
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([start, cipher.getAuthTag(), bytes]).toString('base64')
    },
    async decode(stored) {
      const bytes = Buffer.from(stored, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

const codec = encryption(randomBytes(32))

describe.each(ENGINE_STORES)('an engine with a codec: $title', (engineStore) => {
  const store = useStore(engineStore)
  const test = it.skipIf(engineStore.isMissing)
  const open = (other = codec, onError?: (error: unknown) => void): Engine => {
    const engine = openEngine(store().engineAt, onError, other)
    onTestFinished(() => engine.close())
    return engine
  }

  const isQuick = (name: string) => /with its data|added again|in order|keeps its result|dies/.test(name)
  const checks = engineChecks(() => openEngine(store().engineAt, undefined, codec))
  test.each(checks.filter(({ name }) => isQuick(name)))('$name', ({ run }) => run())

  test('stores neither inputs nor outputs in clear, and runs each key once', async () => {
    const server = createCheckedServer({ latency: 0, clock: 'system' })
    const client = new ModelRun(server.clientOptions())
    const runs = createRuns({ engine: open(), client, name: 'secret', pollRate: { max: 100, perMs: 1_000 } })
    const input = { prompt: 'a treasure map' }
    for (const _attempt of [1, 2]) {
      for await (const { run } of runs.runEach('aurora-image', [{ key: 'key', input }])) {
        expect(run).toMatchObject({ state: 'succeeded', input })
      }
    }
    await expect(runs.add('key', 'aurora-image', { prompt: 'another map' })).rejects.toThrow(/another run/)
    expect(10_000 - server.credits()).toBe(4)

    const { engine: plain } = store()
    const stored: unknown[] = []
    for (const queue of ['secret:submit', 'secret:poll', 'secret:outcomes']) {
      for (const state of ['waiting', 'done', 'dead'] as const) stored.push(...(await plain.list(queue, state)))
    }
    expect(stored.length).toBeGreaterThanOrEqual(3)
    expect(JSON.stringify(stored)).not.toMatch(/treasure|aurora|http/)
  })

  test('reads what was stored before there was a codec', async () => {
    const { engine: plain } = store()
    await plain.add('before', 'a', { data: { prompt: 'a fox' } })
    const engine = open()
    await engine.add('before', 'a', { data: { prompt: 'other' } })
    engine.work('before', async ({ data }) => data)
    await expect.poll(() => engine.get('before', 'a')).toMatchObject({ state: 'done', result: { prompt: 'a fox' } })
    expect((await plain.get('before', 'a'))?.result).not.toEqual({ prompt: 'a fox' })
  })

  test('a process with another key fails no task', async () => {
    const engine = open()
    await engine.add('other key', 'a', { data: 'text' })
    const errors: unknown[] = []
    const wrong = open(encryption(randomBytes(32)), (error) => errors.push(error))
    await expect(wrong.get('other key', 'a')).rejects.toThrow()
    const seen: unknown[] = []
    wrong.work('other key', async ({ data }) => void seen.push(data))
    await expect.poll(() => errors.length).toBe(1)
    await expect.poll(() => engine.get('other key', 'a')).toMatchObject({ state: 'waiting', data: 'text' })
    expect(seen).toEqual([])
  })
})

it('rejects a codec that is none', () => {
  // @ts-expect-error -- what JavaScript allows
  expect(() => openEngine({ kind: 'sqlite', at: ':memory:' }, undefined, { encode: () => '' })).toThrow(/`codec` of/)
})
