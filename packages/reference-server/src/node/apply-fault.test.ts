import { afterAll, beforeAll, expect, it } from 'vitest'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import { type ListeningServer, listen } from './listen.ts'

let server: ReferenceServer
let listening: ListeningServer

beforeAll(async () => {
  server = createReferenceServer({ clock: 'auto' })
  listening = await listen(server)
})
afterAll(async () => {
  await listening.close()
  await server.close()
})

/** Sends a run that is larger than the buffer of a socket, and gives the code of its error. */
async function codeOfLongRun(): Promise<unknown> {
  const body = JSON.stringify({ input: { prompt: 'waves '.repeat(150_000) }, sync: false })
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const url = `${listening.url}/v1/models/aurora-image/run`
  const failure = await fetch(url, { method: 'POST', headers, body })
    .then((response) => response.text())
    .then(
      () => undefined,
      (error: Error) => error.cause,
    )
  return failure instanceof Error ? Reflect.get(failure, 'code') : failure
}

it.each([
  ['reset', 'ECONNRESET'],
  ['empty-reply', 'UND_ERR_SOCKET'],
  ['truncated-body', 'UND_ERR_SOCKET'],
  ['server-error', undefined],
] as const)('%s is the same for a request with a long body that was not read', async (kind, code) => {
  for (let round = 0; round < 20; round++) {
    server.faults.clear()
    server.faults.add({ kind })
    expect(await codeOfLongRun()).toBe(code)
  }
})
