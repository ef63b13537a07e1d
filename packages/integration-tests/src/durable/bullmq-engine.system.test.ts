import type { Engine } from '@modelrun/durable'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { PauseQueue } from '@modelrun/kit'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'

const { isMissing, note } = needs(...REDIS_PROGRAMS)

describe.skipIf(isMissing)(`the BullMQ engine${note}`, () => {
  let service: Service

  beforeAll(async () => {
    service = await startRedis()
  })
  afterAll(() => service?.stop())

  const urlOf = ({ port }: Service) => `redis://127.0.0.1:${port}`
  const open = () => createBullmqEngine({ connection: urlOf(service), pollMs: 50 })

  it.each(engineChecks(open))('$name', ({ run }) => run())

  it('has its tasks as jobs of BullMQ, for other tools to show', async () => {
    const engine = createBullmqEngine({ connection: { host: '127.0.0.1', port: service.port }, prefix: 'shown' })
    await engine.add('runs:submit', 'a:b', { data: { made: 'here' } })
    const queue = new Queue('runs%3Asubmit', { connection: { host: '127.0.0.1', port: service.port }, prefix: 'shown' })
    expect((await queue.getWaiting()).map(({ id, data }) => [id, data])).toEqual([['.a%3Ab', { made: 'here' }]])
    await queue.pause()
    await engine.add('runs:submit', 'c', { data: null })
    expect(await engine.count('runs:submit')).toEqual({ waiting: 2, running: 0, done: 0, dead: 0 })
    expect((await engine.list('runs:submit', 'waiting')).map(({ id }) => id)).toEqual(['a:b', 'c'])
    const seen: string[] = []
    engine.work('runs:submit', async ({ id }) => {
      seen.push(id)
      return undefined
    })
    await engine.add('runs:submit', 'd', { data: null })
    expect(seen).toEqual([])
    await queue.resume()
    await expect.poll(() => seen.toSorted()).toEqual(['a:b', 'c', 'd'])
    await queue.close()
    await engine.close()
  })

  it('sets up only on a Redis that keeps what it has', async () => {
    const redis = new Redis(urlOf(service))
    const engine = open()
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(engine.setup()).rejects.toThrow(/maxmemory-policy.*noeviction/)
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
    await engine.setup()
    await engine.close()
    redis.disconnect()
  })

  it('warns of a Redis that forgets in a restart what it has', async () => {
    const redis = new Redis(urlOf(service))
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => warnings.push(message)
    process.on('warning', onWarning)
    const engine = open()
    await engine.setup()
    await redis.config('SET', 'appendonly', 'no')
    await engine.setup()
    await redis.config('SET', 'appendonly', 'yes')
    await engine.close()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    redis.disconnect()
    expect(warnings).toEqual([expect.stringMatching(/appendonly no.*sent and paid again.*appendonly yes/)])
  })

  it('rejects what a newer version has stored', async () => {
    const redis = new Redis(urlOf(service))
    const engine = createBullmqEngine({ connection: urlOf(service), prefix: 'newer' })
    await engine.setup()
    expect(await redis.get('newer-version')).toBe('1')
    await redis.set('newer-version', '2')
    await expect(engine.setup()).rejects.toThrow(/version 2: a newer @modelrun\/durable.*Update it/)
    await engine.close()
    redis.disconnect()
  })

  it('says what is wrong with its options', () => {
    // @ts-expect-error -- what JavaScript allows
    expect(() => createBullmqEngine()).toThrow(/like \{ connection/)
    expect(() => createBullmqEngine({ connection: '' })).toThrow(/`connection` of/)
    expect(() => createBullmqEngine({ connection: { keyPrefix: 'x' } })).toThrow(/without `url` and `keyPrefix`/)
    const withUrl = { port: service.port, url: urlOf(service) }
    expect(() => createBullmqEngine({ connection: withUrl })).toThrow(/without `url` and `keyPrefix`/)
    expect(() => createBullmqEngine({ connection: urlOf(service), prefix: '' })).toThrow(/`prefix` of/)
  })

  it('runs a task by its id whose process died, also in a process without workers', async () => {
    const [dying, other] = [open(), open()]
    const started: number[] = []
    const handler = async ({ lost }: { lost: number }) => {
      started.push(lost)
      if (started.length === 1) await new Promise(() => {})
      return undefined
    }
    await dying.add('died', 'a', { data: null })
    void dying.once('died', handler, { id: 'a', lockMs: 500 })
    await expect.poll(() => started).toEqual([0])
    await dying.close()
    const once = () => other.once('died', handler, { id: 'a', lockMs: 500 })
    await expect.poll(once).toMatchObject({ isRun: true })
    expect(started).toEqual([0, 1])
    await other.close()
  })

  it('keeps the longer of two pauses', async () => {
    const engine = open()
    const starts: number[] = []
    for (const id of ['long', 'short']) await engine.add('paused', id, { data: null })
    engine.work('paused', async ({ id }) => {
      starts.push(performance.now())
      if (starts.length > 2) return undefined
      throw new PauseQueue(id === 'long' ? 700 : 50)
    })
    await expect.poll(() => starts.length, { interval: 10 }).toBe(4)
    expect(Number(starts[2]) - Number(starts[0])).toBeGreaterThan(650)
    await engine.close()
  })
})

describe.skipIf(isMissing)(`the BullMQ engine on a Redis that changes below it${note}`, () => {
  async function start(options: Record<string, string> = {}): Promise<{ port: number; admin: Redis }> {
    const { port, stop } = await startRedis(options)
    const admin = new Redis(port)
    onTestFinished(stop)
    onTestFinished(() => admin.disconnect())
    return { port, admin }
  }

  function open(connection: string): Engine {
    const engine = createBullmqEngine({ connection, pollMs: 50, onError: () => {} })
    onTestFinished(() => engine.close())
    return engine
  }

  it('loads its scripts again when Redis has forgotten them', async () => {
    const { port, admin } = await start()
    const engine = open(`redis://127.0.0.1:${port}`)
    engine.work('tasks', async () => 'made')
    await engine.add('tasks', 'before', { data: null })
    await engine.reserve('credits', 'a', { amount: 1 })
    await expect.poll(() => engine.get('tasks', 'before')).toMatchObject({ state: 'done' })
    await admin.script('FLUSH')
    await engine.add('tasks', 'after', { data: null })
    await engine.reserve('credits', 'b', { amount: 1 })
    await expect.poll(() => engine.get('tasks', 'after')).toMatchObject({ state: 'done' })
  })

  it('leaves a primary that has become a replica', async () => {
    const { port, admin } = await start()
    const engine = open(`redis://127.0.0.1:${port}`)
    await engine.add('tasks', 'before', { data: null })
    const connected = async () => ((await admin.client('LIST', 'TYPE', 'NORMAL')) as string).match(/^id=\d+/gm)
    const before = await connected()
    await admin.replicaof('127.0.0.1', '1')
    await expect(engine.add('tasks', 'during', { data: null })).rejects.toThrow(/READONLY/)
    await expect.poll(connected).not.toEqual(before)
    await admin.replicaof('NO', 'ONE')
    await expect.poll(() => engine.add('tasks', 'after', { data: null }).then(() => 'added', String)).toBe('added')
  })

  it('names a cluster in its setup', async () => {
    const { port } = await start({ 'cluster-enabled': 'yes' })
    await expect(open(`redis://127.0.0.1:${port}`).setup()).rejects.toThrow(/is a cluster/)
  })

  it('names the right that its user lacks', async () => {
    const { port, admin } = await start()
    await admin.acl('SETUSER', 'worker', 'on', '>secret', '~*', '+@all', '-@dangerous')
    await expect(open(`redis://worker:secret@127.0.0.1:${port}`).setup()).rejects.toThrow(/NOPERM.*info/)
    await admin.acl('SETUSER', 'worker', '+info')
    await open(`redis://worker:secret@127.0.0.1:${port}`).setup()
  })
})

describe.skipIf(isMissing)(`the BullMQ engine in an outage of Redis${note}`, () => {
  it('rejects what it cannot keep within seconds, and continues by itself after it', async () => {
    const service = await startRedis()
    const errors: unknown[] = []
    const engine = createBullmqEngine({
      connection: `redis://127.0.0.1:${service.port}`,
      pollMs: 50,
      onError: (error) => errors.push(error),
    })
    await engine.setup()
    const seen: string[] = []
    engine.work('tasks', async ({ id }) => {
      seen.push(id)
      return undefined
    })
    await engine.add('tasks', 'before', { data: null })
    await expect.poll(() => engine.count('tasks')).toMatchObject({ done: 1 })

    const admin = new Redis(`redis://127.0.0.1:${service.port}`)
    await admin.client('PAUSE', 3_500)
    const changes = [engine.add('tasks', 'during', { data: null }), engine.reserve('credits', 'a', { amount: 1 })]
    for (const change of changes) await expect(change).rejects.toThrow(/Redis did not respond within 2000 ms/)
    await expect.poll(() => engine.add('tasks', 'after', { data: null }).then(() => 'added')).toBe('added')
    await expect.poll(() => seen).toContain('after')

    await admin.client('PAUSE', 60_000, 'WRITE')
    // Not by the words of its client, which names settings that cannot be changed.
    const lost = expect(engine.reserve('credits', 'b', { amount: 1 })).rejects.toThrow(/Redis/)
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await lost
    await admin.client('UNPAUSE')
    admin.disconnect()

    await service.stop()
    await expect(engine.add('tasks', 'gone', { data: null })).rejects.toThrow()
    expect(errors.length).toBeGreaterThan(0)
    await engine.close()
  })

  it('rejects when there is no Redis, and closes', async () => {
    const engine = createBullmqEngine({ connection: 'redis://127.0.0.1:1', onError: () => {} })
    await expect(engine.setup()).rejects.toThrow(/Redis did not respond/)
    await expect(engine.add('tasks', 'a', { data: null })).rejects.toThrow(/Redis did not respond/)
    await engine.close()
  })
})
