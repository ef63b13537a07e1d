import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startReady } from '../../test/cli-process.ts'
import { addressKind } from '../webhooks/webhook-target.ts'

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

/** The name of this machine, where it leads to a private address, as names of containers do. */
const name = await lookup(hostname()).then(
  ({ address }) => (addressKind(address) === 'public' ? undefined : hostname()),
  () => undefined,
)

/** Starts the command as a container would: every other machine can reach it. */
async function startOpen(...args: string[]) {
  const { url, controlToken } = await startReady('--host', '0.0.0.0', ...args)
  return { port: new URL(url).port, controlToken }
}

/** A receiver that another container would be, and its next delivery. */
async function receive() {
  const receiver = createServer((_, response) => void response.end()).listen(0, '0.0.0.0')
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo // bound to a port, so not a pipe
  const next = async () => {
    const [request]: IncomingMessage[] = await once(receiver, 'request')
    return request?.headers.host
  }
  return { port, next }
}

describe.skipIf(outside === undefined)('modelrun-server beyond loopback (skipped without a network interface)', () => {
  it('asks for the token of the control API, which can be chosen', async () => {
    const chosen = 'a-token-of-the-team'
    const { port, controlToken } = await startOpen('--control-token', chosen)
    expect(controlToken).toBe(chosen)
    const statuses = await Promise.all(
      [{}, { 'x-reference-token': 'wrong' }, { 'x-reference-token': chosen }].map(
        async (headers: Record<string, string>) =>
          (await fetch(`http://${outside}:${port}/_reference/faults`, { headers })).status,
      ),
    )
    expect(statuses).toEqual([403, 403, 200])
  })

  it('calls webhooks of other containers with --allow-private-webhooks, by address and by name', async () => {
    const key = 'sk_test_compose'
    const { port } = await startOpen('--allow-private-webhooks', '--key', key, '--latency', '0')
    const receiver = await receive()
    for (const host of [outside, name ?? outside]) {
      const delivered = receiver.next()
      const response = await fetch(`http://${outside}:${port}/v1/models/aurora-image/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: { prompt: 'a fox' }, webhook_url: `http://${host}:${receiver.port}/w` }),
      })
      expect([response.status, await delivered]).toEqual([202, `${host}:${receiver.port}`])
    }
  })
})
