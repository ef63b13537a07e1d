import { createServer, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { jobsOf, openEngine, openInbox, PUBLIC_URL, SECRET, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { createInbox } from './inbox.ts'
import type { InboxOptions } from './inbox-options.ts'

const { client } = jobsOf(() => SUCCEEDED_JOB)

test('a secret that is not text is not printed', () => {
  const wrong = { client, secret: [SECRET] } as unknown as InboxOptions
  expect(() => createInbox(wrong)).toThrow('`secret` of `createInbox` must be a string, or an object of strings')
  expect(() => createInbox(wrong)).not.toThrow(SECRET)
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

  test('is prepared when another process can take its delivery', async () => {
    const { inbox } = openInbox({ ...signed, ...openEngine() })
    await inbox.drain()
    await expect(inbox.prepare()).resolves.toMatchObject({ ref: expect.any(String) })
  })
})
