import { type ChildProcess, spawn } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { addressKind } from '../webhooks/webhook-target.ts'

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

/** The name of this machine, where it leads to a private address, as names of containers do. */
const name = await lookup(hostname()).then(
  ({ address }) => (addressKind(address) === 'public' ? undefined : hostname()),
  () => undefined,
)

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Starts the command as a container would: every other machine can reach it. */
async function startOpen(...args: string[]) {
  const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))
  const options = ['--conditions=@modelrun/source', cli, '--port', '0', '--json', '--host', '0.0.0.0', ...args]
  const child: ChildProcess = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  ends.push(() => child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('The output is not a pipe.')
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, key, controlToken }: Record<'url' | 'key' | 'controlToken', string> = JSON.parse(String(line))
  return { port: new URL(url).port, key, controlToken }
}

/** A receiver that another container would be, and its next delivery. */
async function receive() {
  const receiver = createServer((_, response) => void response.end()).listen(0, '0.0.0.0')
  ends.push(() => receiver.close())
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

  it.skipIf(name === undefined)(
    'says without --allow-private-webhooks why a webhook by name did not come',
    async () => {
      const { port, key, controlToken } = await startOpen('--latency', '0')
      await fetch(`http://${outside}:${port}/v1/models/aurora-image/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: { prompt: 'a fox' }, webhook_url: `http://${name}:1234/w` }),
      })
      const headers = { 'x-reference-token': controlToken }
      const { delivery } = await (
        await fetch(`http://${outside}:${port}/_reference/deliveries/next`, { method: 'POST', headers })
      ).json()
      expect(delivery).toMatchObject({
        outcome: 'network_error',
        reason: expect.stringContaining(`${name} is a private address`),
      })
      expect(delivery.reason).toContain('--allow-private-webhooks')
    },
  )
})
