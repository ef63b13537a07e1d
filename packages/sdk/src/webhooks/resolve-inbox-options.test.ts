import { describe, expect, test, vi } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { jobsOf, SECRET, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { createMemoryEngine } from './engine/memory-engine.ts'
import { createInbox } from './inbox.ts'

const { client } = jobsOf(() => SUCCEEDED_JOB)
const engine = createMemoryEngine()

test.each<[string, object, string]>([
  ['nothing that could confirm a delivery', {}, 'Pass `createInbox({ client: new ModelRun() })`'],
  [
    'a secret that an environment does not have',
    { client, secret: process.env.MODELRUN_NO_SUCH_VARIABLE, publicUrl: 'https://app.example.com/hook' },
    '`publicUrl` needs a `secret`',
  ],
  ['a short secret', { secret: 'short' }, 'it must have at least 32'],
  ['a memory that is shorter than a token', { secret: SECRET, keepDoneMs: 3_600_000 }, 'Make it at least 777600000'],
  ['a lock of no time', { client, lockMs: 0 }, '`lockMs` of `createInbox` must be a number above 0'],
  ['no handler at once', { client, concurrency: 0 }, 'must be a whole number of at least 1, not 0.'],
  ['attempts that are not a number', { client, maxAttempts: 1.5 }, 'must be a whole number of at least 1, not 1.5.'],
  ['no attempt', { client, maxAttempts: 0 }, 'must be a whole number of at least 1, not 0.'],
  [
    'a handler of another name',
    { onSuccess() {} },
    '`onSuccess` of `createInbox` is unknown (did you mean `onSucceeded`?).',
  ],
  ['a path for an engine', { engine: 'inbox.db' }, '`engine` of `createInbox` must be an engine of @modelrun/durable'],
  ['an engine that is still being created', { engine: Promise.resolve() }, ', not a Promise.'],
  ['the store of an older version', { store: {} }, '`store` of `createInbox` is unknown'],
  ['an empty name', { name: '' }, '`name` of `createInbox` must be a text'],
  ['a part of a client', { client: client.jobs }, '`client` of `createInbox` must be a client, like `new ModelRun()`'],
  ['a handler that is not a function', { onFailed: 'log' }, '`onFailed` of `createInbox` must be a function'],
])('options that cannot work are rejected %s', (_, options, message) => {
  expect(() => createInbox(options)).toThrow(message)
  expect(() => createInbox(options)).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
})

describe('`publicUrl`', () => {
  test.each<[string, string]>([
    ['http://app:3000/w', 'such as Docker Compose, pass `allowHttp: true` to `createInbox`'],
    ['http://host.docker.internal/w', 'it must start with https://, not http://host.docker.internal, or its token'],
    ['app:3000/w', 'it must start with https://'],
    ['/w', '"/w" is not a URL: give a whole one, like https://app.example.com/hook'],
    ['', '"" is not a URL'],
    ['https://user:pass@app.example.com/w', 'it has a user or a password'],
    ['https://app.example.com/w?modelrun_token=v1', 'it has a token already'],
  ])('%s is rejected when the inbox is created', (publicUrl, problem) => {
    for (const options of [{ secret: SECRET }, { client }]) {
      const create = () => createInbox({ ...options, publicUrl })
      expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
      expect(create).toThrow('`publicUrl` cannot be used: ')
      expect(create).toThrow(problem)
    }
  })

  test('may be http on this machine', () => {
    expect(() => createInbox({ client, secret: SECRET, publicUrl: 'http://127.0.0.1:3000/w' })).not.toThrow()
  })

  test('and the URLs of `callbackUrl` may be http at any host with `allowHttp`', async () => {
    const inbox = createInbox({ secret: SECRET, publicUrl: 'http://app:3000/w', allowHttp: true })
    expect((await inbox.prepare()).url).toMatch(/^http:\/\/app:3000\/w\?modelrun_token=/)
    expect(await inbox.callbackUrl('http://other:3000/w')).toMatch(/^http:\/\/other:3000\/w\?modelrun_token=/)
  })
})

describe('an inbox in memory', () => {
  test('has the time of its client, and leaves no timer there when nothing is left to do', async () => {
    const clock = createManualClock()
    const onSucceeded = vi.fn()
    const inbox = createInbox({ client: { ...client, clock }, onSucceeded, onWebhookMissed: () => {} })
    inbox.start()
    await clock.advance(1)
    expect(clock.timerCount).toBe(0)
    await inbox.expect('job_1', { pollInMs: 60_000 })
    await clock.advance(59_999)
    expect(onSucceeded).not.toHaveBeenCalled()
    await clock.advance(1)
    expect([onSucceeded.mock.calls.length, clock.timerCount]).toEqual([1, 0])
    await inbox.drain()
  })

  test('warns in production, and nowhere else', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    createInbox({ client })
    vi.stubEnv('NODE_ENV', 'production')
    createInbox({ client, engine })
    expect(warn).not.toHaveBeenCalled()
    createInbox({ client })
    expect(warn.mock.calls).toEqual([[expect.stringContaining('keeps deliveries in memory')]])
  })
})
