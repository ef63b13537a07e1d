import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'

/** Sends the head of a request as it stands. */
async function send(...lines: string[]): Promise<{ head: string; body: string }> {
  const { port } = await listenInTest(createReferenceServer())
  const socket = connect(port, '127.0.0.1')
  socket.write([...lines, 'connection: close', '', ''].join('\r\n'))
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body }
}

it.each([
  ['a Host with a blank', 'GET /v1/models HTTP/1.1', 'host: a b'],
  ['a Host with a user name', 'GET /v1/models HTTP/1.1', 'host: a@b'],
  ['an empty Host', 'GET /v1/models HTTP/1.1', 'host:'],
  ['no Host', 'GET /v1/models HTTP/1.1', 'accept: */*'],
  ['a port beyond all ports', 'GET /v1/models HTTP/1.1', 'host: localhost:99999'],
  ['the target *', 'OPTIONS * HTTP/1.1', 'host: localhost'],
  ['a \\ in the path', 'GET /v1\\models HTTP/1.1', 'host: localhost'],
])('%s gets a 400 with the error body of section 7', async (_, ...lines) => {
  const { head, body } = await send(...lines)
  expect(head.split('\r\n', 1)[0]).toBe('HTTP/1.1 400 Bad Request')
  expect(head.toLowerCase()).toContain('content-type: application/json')
  expect(JSON.parse(body)).toEqual({
    error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('its path or its Host header is not valid') },
  })
})
