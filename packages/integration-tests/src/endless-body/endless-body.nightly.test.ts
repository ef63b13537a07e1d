import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'

const PROGRAM = new URL('receiver.ts', import.meta.url)
const MEBIBYTE = 1024 ** 2

let receiver: ChildProcess | undefined

afterEach(() => {
  receiver?.kill()
})

/** Starts a receiver in a process of its own. */
async function startReceiver(kind: string) {
  const child = fork(PROGRAM, [kind], { execArgv: ['--conditions=@modelrun/source', '--expose-gc'] })
  receiver = child
  const [port] = await once(child, 'message')
  const memory = async (): Promise<number> => {
    child.send('measure')
    const [bytes] = await once(child, 'message')
    return bytes
  }
  return { port, memory }
}

/** Starts a request whose body comes in chunks. `write` resolves when the receiver takes more. */
async function startRequest(port: number, path: string) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const write = async (bytes: string | Buffer) => {
    if (!socket.write(bytes)) await once(socket, 'drain')
  }
  const headers = ['host: 127.0.0.1', 'sec-fetch-site: same-origin', 'content-type: application/json']
  await write(`${[`POST ${path} HTTP/1.1`, ...headers, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`)
  return { write, end: () => socket.destroy() }
}

describe.each([
  ['inbox', '/hook'],
  ['proxy', '/api/modelrun/v1/models/aurora-image/run'],
])('the %s of a Node server', (kind, path) => {
  test('does not keep a body without end', async () => {
    const { port, memory } = await startReceiver(kind)
    const { write, end } = await startRequest(port, path)
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE, 'x'), Buffer.from('\r\n')])
    const before = await memory()
    let most = 0
    for (let count = 1; count <= 256; count++) {
      await write(chunk)
      if (count % 64 === 0) most = Math.max(most, (await memory()) - before)
    }
    end()
    expect(most).toBeLessThan(8 * MEBIBYTE)
  })

  test('keeps a body that comes in chunks of one byte in about its own size', async () => {
    const { port, memory } = await startReceiver(kind)
    const before = await memory()
    const requests = await Promise.all(Array.from({ length: 4 }, () => startRequest(port, path)))
    for (const { write } of requests) {
      for (let count = 0; count < 20; count++) await write('1\r\nx\r\n'.repeat(10_000))
    }
    const stored = (await memory()) - before
    for (const { end } of requests) end()
    expect(stored).toBeLessThan(24 * MEBIBYTE)
  })
})
