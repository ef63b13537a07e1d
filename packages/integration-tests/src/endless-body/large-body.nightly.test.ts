import type { IncomingMessage } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { fixtures } from '@modelrun/contract/fixtures'
import { createInbox } from 'modelrun/webhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startReceiver } from '../webhook-receiver.ts'

const LARGE = JSON.stringify({ ...fixtures.webhooks.succeeded.body, note: 'x'.repeat(5_000_000) })
const TOO_LARGE = { status: 400, message: expect.stringContaining('larger than 262144 bytes') }

type Parse = (request: IncomingMessage & { body?: unknown }) => Promise<void>

/** An inbox behind a body parser. */
async function openInbox(parse: Parse = async () => {}) {
  const onSucceeded = vi.fn()
  const client = { jobs: { get: async () => ({ ...fixtures.webhooks.succeeded.body }) } }
  const node = createInbox({ client, onSucceeded }).node()
  const { url, close } = await startReceiver(async (request, response) => {
    await parse(request)
    await node(request, response)
  })
  onTestFinished(close)
  const post = async (body: BodyInit) => {
    // `duplex` is needed for streams, and missing in the types of the DOM.
    const response = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)
    return { status: response.status, message: await response.text() }
  }
  return { onSucceeded, post }
}

/** Sent without a Content-Length. */
const streamOf = (text: string) => new Blob([text]).stream()

test('an inbox rejects a body that is too large with 400, and its sender sees the response', async () => {
  const { post } = await openInbox()
  await expect(post(LARGE)).resolves.toEqual(TOO_LARGE)
  await expect(post(streamOf(LARGE))).resolves.toEqual(TOO_LARGE)
})

test.each<[string, (text: string) => unknown]>([
  ['an object', (text) => JSON.parse(text)],
  ['text', (text) => text],
  ['bytes', (text) => Buffer.from(text)],
])('an inbox rejects a large body that a parser made into %s as it rejects a raw one', async (_, make) => {
  const { onSucceeded, post } = await openInbox(async (request) => {
    request.body = make(await readAll(request))
  })
  await expect(post(LARGE)).resolves.toEqual(TOO_LARGE)
  await expect(post(streamOf(LARGE))).resolves.toEqual(TOO_LARGE)
  expect(onSucceeded).not.toHaveBeenCalled()
})
