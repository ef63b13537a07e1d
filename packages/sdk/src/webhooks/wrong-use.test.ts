import { createServer, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../testing/test-inbox.ts'
import { createInbox } from './inbox.ts'
import type { InboxOptions } from './inbox-options.ts'
import { createMemoryStore } from './store/memory-store.ts'
import { createPostgresStore, type PostgresStoreOptions } from './store/postgres-store.ts'
import { createRedisStore, type RedisStoreOptions } from './store/redis-store.ts'
import { createSqliteStore, type SqliteStoreOptions } from './store/sqlite-store.ts'

const { client } = jobsOf(() => SUCCEEDED_JOB)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('an inbox is not made', () => {
  test.each<[string, object, string]>([
    [
      'with a handler of another name',
      { onSuccess() {} },
      '`onSuccess` of `createInbox` is unknown (did you mean `onSucceeded`?).',
    ],
    ['with a path for a store', { store: 'results.db' }, '`store` of `createInbox` must be a store, like'],
    ['with a store that is still being made', { store: Promise.resolve() }, ', not a Promise.'],
    [
      'with a part of a client',
      { client: client.jobs },
      '`client` of `createInbox` must be a client, like `new ModelRun()`',
    ],
    ['with a handler that is not a function', { onFailed: 'log' }, '`onFailed` of `createInbox` must be a function'],
    ['with one host', { allowedOutputHosts: 'example.com' }, `must be a list of hosts, like ['*.example.com']`],
  ])('%s', (_, options, message) => {
    const wrong = { client, ...options } as InboxOptions
    expect(() => createInbox(wrong)).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
    expect(() => createInbox(wrong)).toThrow(message)
  })

  test('with a secret that is not text, which is not printed', () => {
    const wrong = { client, secret: [SECRET] } as unknown as InboxOptions
    expect(() => createInbox(wrong)).toThrow('`secret` of `createInbox` must be a string, or an object of strings')
    expect(() => createInbox(wrong)).not.toThrow(SECRET)
  })
})

describe('a store is not made', () => {
  /** What a client of Redis or Postgres looks like: its methods are on a prototype, and it has members of its own. */
  class Client {
    options = {}
    eval() {}
    query() {}
  }

  test.each<[string, () => unknown, string]>([
    ['of nothing', () => createSqliteStore(undefined as never), 'must be an object, like { path: … }.'],
    [
      'of a path',
      () => createSqliteStore('x.db' as never),
      '`options` of `createSqliteStore` must be an object, like { path: … }.',
    ],
    [
      'without its path',
      () => createSqliteStore({} as SqliteStoreOptions),
      `must be the path of a file, like 'inbox.db', not undefined.`,
    ],
    [
      'of a client of Redis',
      () => createRedisStore(new Client() as never),
      '`options` of `createRedisStore` is unknown (it takes eval, namespace).',
    ],
    [
      'without its function',
      () => createRedisStore({} as RedisStoreOptions),
      '`eval` of `createRedisStore` must be a function (script, keys, args) => reply, not undefined.',
    ],
    [
      'of a pool of Postgres',
      () => createPostgresStore(new Client() as never),
      '`options` of `createPostgresStore` is unknown (it takes query, table).',
    ],
    ['of a function', () => createPostgresStore((() => {}) as never), 'must be an object, like { query: … }.'],
    [
      'of a pool by its name',
      () => createPostgresStore({ pool: {} } as unknown as PostgresStoreOptions),
      '`query` of `createPostgresStore` must be a function',
    ],
    [
      'with a limit that is text',
      () => createMemoryStore({ maxFinished: '5' } as never),
      '`maxFinished` of `createMemoryStore` must be a number of at least 0',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
    expect(make).toThrow(message)
  })
})

describe('a handler of requests', () => {
  test.each(['node', 'lambda'] as const)('is what inbox.%s() makes, and not inbox.%s itself', (name) => {
    const make = createInbox({ client })[name] as (...args: unknown[]) => unknown
    expect(() => make({}, {})).toThrow(
      `\`inbox.${name}\` creates a handler, and was called as one. Pass \`inbox.${name}()\` where you passed \`inbox.${name}\`.`,
    )
    expect(() => createServer(make() as never)).not.toThrow()
  })

  test('with web-standard requests tells those of Node where to go', async () => {
    const request = new IncomingMessage(new Socket()) as unknown as Request
    await expect(createInbox({ client }).handle(request)).rejects.toThrow(
      '`request` of `inbox.handle` must be a web-standard Request (for requests of Node, Express and Fastify there is `node()`)',
    )
  })
})

describe('a run with an inbox that was drained', () => {
  const signed = { secret: SECRET, publicUrl: PUBLIC_URL }

  test('is not prepared when its delivery would be lost', async () => {
    const { inbox } = openInbox(signed)
    await inbox.drain()
    await expect(inbox.prepare()).rejects.toThrow('This inbox was drained and keeps nothing')
  })

  test('is prepared when another process can take its delivery', async () => {
    const guarantees = { durable: true, shared: true, transactional: false }
    const { inbox } = openInbox({ ...signed, store: { ...createMemoryStore(), guarantees } })
    await inbox.drain()
    await expect(inbox.prepare()).resolves.toMatchObject({ ref: expect.any(String) })
  })
})

test('`complete` takes a transaction as a member, and not as itself: it would not be part of it', async () => {
  const transaction = { query: () => {} }
  const { deliver, told } = openInbox({ onSucceeded: (_, { complete }) => complete(transaction as object) })
  await deliver(SUCCEEDED)
  await settle()
  expect(String(told.onHandlerError[0]?.error)).toContain('`query` of `context.complete` is unknown (it takes tx).')
})

describe('a result that nothing takes', () => {
  test('warns once when there is no handler for it', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { deliver } = openInbox({ client, onSucceeded: undefined })
    for (const job_id of ['job_1', 'job_2']) await deliver({ ...SUCCEEDED, job_id })
    await settle()
    expect(warn.mock.calls).toEqual([[expect.stringContaining('Pass `createInbox({ onSucceeded })`.')]])
  })

  test.each<[string, (bench: ReturnType<typeof openInbox>) => unknown]>([
    ['a caller waits for', ({ inbox }) => inbox.waitFor(SUCCEEDED.job_id)],
    ['a caller listens to', ({ inbox }) => inbox.listen(SUCCEEDED.job_id, () => {})],
    ['was expected, as that of a run with this inbox', ({ inbox }) => inbox.expect(SUCCEEDED.job_id)],
  ])('does not warn for a job that %s', async (_, follow) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const bench = openInbox({ client, onSucceeded: undefined })
    await Promise.race([follow(bench), settle()])
    await bench.deliver(SUCCEEDED)
    await settle()
    expect(warn).not.toHaveBeenCalled()
  })
})
