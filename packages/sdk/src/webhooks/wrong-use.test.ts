import { createServer, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { jobsOf, openEngine, openInbox, PUBLIC_URL, SECRET, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { createInbox } from './inbox.ts'
import type { InboxOptions } from './inbox-options.ts'

const { client } = jobsOf(() => SUCCEEDED_JOB)

describe('an inbox is not made', () => {
  test.each<[string, object, string]>([
    [
      'with a handler of another name',
      { onSuccess() {} },
      '`onSuccess` of `createInbox` is unknown (did you mean `onSucceeded`?).',
    ],
    [
      'with a path for an engine',
      { engine: 'inbox.db' },
      '`engine` of `createInbox` must be an engine of @modelrun/durable',
    ],
    ['with an engine that is still being created', { engine: Promise.resolve() }, ', not a Promise.'],
    ['with the store of an older version', { store: {} }, '`store` of `createInbox` is unknown'],
    ['with an empty name', { name: '' }, '`name` of `createInbox` must be a text'],
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

describe('a handler of requests', () => {
  test('is what inbox.node() makes, and not inbox.node itself', () => {
    const make = createInbox({ client }).node as (...args: unknown[]) => unknown
    expect(() => make({}, {})).toThrow(
      '`inbox.node` creates a handler, and was called as one. Pass `inbox.node()` where you passed `inbox.node`.',
    )
    expect(() => createServer(make() as never)).not.toThrow()
  })

  test('for web-standard requests names the method for requests of Node', async () => {
    const request = new IncomingMessage(new Socket()) as unknown as Request
    await expect(createInbox({ client }).handle(request)).rejects.toThrow(
      '`request` of `inbox.handle` must be a web-standard Request (for requests of Node and Express there is `node()`)',
    )
  })
})

describe('a run with an inbox that was drained', () => {
  const signed = { secret: SECRET, publicUrl: PUBLIC_URL }

  test('is not prepared when its delivery would be lost', async () => {
    const { inbox } = openInbox(signed)
    await inbox.drain()
    await expect(inbox.prepare()).rejects.toThrow('This inbox was drained, and is in memory')
  })

  test('is prepared when another process can take its delivery', async () => {
    const { inbox } = openInbox({ ...signed, ...openEngine() })
    await inbox.drain()
    await expect(inbox.prepare()).resolves.toMatchObject({ ref: expect.any(String) })
  })
})
