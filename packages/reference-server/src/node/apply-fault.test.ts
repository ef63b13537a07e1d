import { expect, it } from 'vitest'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

/** Sends a run that is larger than the buffer of a socket, and gives the code of its error. */
async function codeOfLongRun({ apiKey }: ReferenceServer, baseUrl: string): Promise<unknown> {
  const body = JSON.stringify({ input: { prompt: 'waves '.repeat(150_000) }, sync: false })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const url = `${baseUrl}/v1/models/aurora-image/run`
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
  const server = createReferenceServer({ clock: 'auto' })
  const { url } = await listenInTest(server)
  for (let round = 0; round < 20; round++) {
    server.faults.clear()
    server.faults.add({ kind })
    expect(await codeOfLongRun(server, url)).toBe(code)
  }
})
