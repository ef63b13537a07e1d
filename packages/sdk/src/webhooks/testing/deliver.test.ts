import { createServer } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { listenOn } from '../../../../kit/test/listen-on.ts'
import { SECRET } from '../../../test/test-inbox.ts'
import { createInbox } from '../inbox.ts'
import { deliver } from './deliver.ts'
import { failedEvent, succeededEvent } from './event-fixtures.ts'

/** A receiver that notes what it gets. */
function createReceiver(respond: () => Response | Promise<Response> = () => new Response('thanks')) {
  const requests: Request[] = []
  const receive = async (request: Request) => {
    requests.push(request)
    return await respond()
  }
  return { requests, receive }
}

describe('deliver', () => {
  test('posts an event as the service does, and returns the response (section 6)', async () => {
    const { requests, receive } = createReceiver()
    const event = succeededEvent()
    const [result] = await deliver(receive, { events: event })
    expect(result).toEqual({ event, isDelivered: true, status: 200, text: 'thanks', durationMs: expect.any(Number) })
    const [request] = requests
    expect([request?.method, request?.headers.get('content-type')]).toEqual(['POST', 'application/json'])
    await expect(request?.json()).resolves.toEqual(event)
  })

  test('delivers duplicates one after the other, and an inbox handles one', async () => {
    const onSucceeded = vi.fn()
    const inbox = createInbox({ secret: SECRET, publicUrl: 'https://app.example.com/hook', onSucceeded })
    const event = succeededEvent()
    const url = await inbox.callbackUrl()
    const responses = await deliver(inbox.handle, { events: event, duplicates: 2, url })
    await inbox.waitFor(event.job_id)
    const late = await deliver(inbox.handle, { events: event, url })
    expect([...responses, ...late].map(({ status }) => status)).toEqual([202, 202, 202, 202])
    await inbox.drain()
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('delivers all at once with `concurrent`', async () => {
    let running = 0
    let most = 0
    const respond = async () => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      return new Response()
    }
    const events = [succeededEvent(), failedEvent()]
    await deliver(createReceiver(respond).receive, { events, duplicates: 1 })
    expect(most).toBe(1)
    await deliver(createReceiver(respond).receive, { events, duplicates: 1, concurrent: true })
    expect(most).toBe(4)
  })

  test('takes a URL for each event, because a token is for one job', async () => {
    const inbox = createInbox({ secret: SECRET, publicUrl: 'https://app.example.com/hook' })
    const events = [succeededEvent(), failedEvent()]
    const url = await inbox.callbackUrl()
    const shared = await deliver(inbox.handle, { events, url })
    expect(shared.map(({ status }) => status)).toEqual([202, 401])
    const own = await deliver(inbox.handle, {
      events: [succeededEvent(), failedEvent()],
      url: () => inbox.callbackUrl(),
    })
    expect(own.map(({ status }) => status)).toEqual([202, 202])
    await expect(deliver(inbox.handle, { events })).resolves.toMatchObject([{ status: 401 }, { status: 401 }])
  })

  test('delivers over the network to a URL', async () => {
    const server = createServer((_, response) => response.writeHead(500).end('no'))
    const { port, close } = await listenOn(server)
    const address = `http://127.0.0.1:${port}/hook`
    const events = failedEvent()
    await expect(deliver(address, { events })).resolves.toMatchObject([{ status: 500, isDelivered: false, text: 'no' }])
    await expect(deliver(fetch, { events, url: address })).resolves.toMatchObject([{ status: 500 }])
    await close()
    const [result] = await deliver(new URL(address), { events })
    expect(result).toMatchObject({ status: undefined, isDelivered: false, error: { message: 'fetch failed' } })
  })

  test('sends text as it is', async () => {
    const inbox = createInbox({ client: { jobs: { get: () => Promise.reject(new Error('no')) } } })
    await expect(deliver(inbox.handle, { events: ['{"job_id":', '[]'] })).resolves.toMatchObject([
      { status: 400, text: expect.stringContaining('not JSON') },
      { status: 400 },
    ])
  })

  test.each([{}, succeededEvent(), { events: [], duplicate: 2 }, { events: [], duplicates: -1 }])(
    'rejects %j',
    async (wrong) => {
      const { requests, receive } = createReceiver()
      await expect(deliver(receive, wrong as never)).rejects.toThrow('of `deliver`')
      expect(requests).toEqual([])
    },
  )

  test('reports what a receiver throws', async () => {
    const failure = new Error('the route is broken')
    const { receive } = createReceiver(() => Promise.reject(failure))
    await expect(deliver(receive, { events: failedEvent() })).resolves.toMatchObject([{ error: failure }])
  })
})
