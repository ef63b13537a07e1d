import { describe, expect, it, vi } from 'vitest'
import type { Handle } from '../wire/messages.ts'
import { createFetch } from './handle.ts'

const BASE_URL = 'https://reference.test'

function fetchWith(handle: Handle) {
  return createFetch(handle, { baseUrl: BASE_URL })
}

const echo: Handle = async (request, { transport }) => {
  const text = new TextDecoder().decode(await request.arrayBuffer())
  return { status: 200, headers: {}, body: `${transport} ${request.method} ${request.url} ${text}` }
}

describe('fetch', () => {
  it('takes strings, URLs, Requests and paths', async () => {
    const serverFetch = fetchWith(echo)
    const texts = [
      await serverFetch('https://x.test/a'),
      await serverFetch(new URL('https://x.test/b')),
      await serverFetch(new Request('https://x.test/c', { method: 'POST', body: 'hello' })),
      await serverFetch('/d', { method: 'DELETE' }),
    ].map((response) => response.text())
    expect((await serverFetch('/e')).statusText).toBe('OK')
    expect(await Promise.all(texts)).toEqual([
      'fetch GET https://x.test/a ',
      'fetch GET https://x.test/b ',
      'fetch POST https://x.test/c hello',
      `fetch DELETE ${BASE_URL}/d `,
    ])
  })

  it('responds where the use of a Node API throws, as in the Edge runtime of Next.js', async () => {
    const edge = Object.defineProperty({ env: {} }, 'getBuiltinModule', { get: () => expect.unreachable() })
    vi.stubGlobal('process', edge)
    vi.resetModules()
    const handle = await import('./handle.ts').finally(() => vi.unstubAllGlobals())
    const response = await handle.createFetch(echo, { baseUrl: BASE_URL })('/e')
    expect([response.status, response.statusText]).toEqual([200, ''])
  })

  it('rejects with the reason of an abort, before and while it waits', async () => {
    const handle = vi.fn<Handle>(() => new Promise(() => {}))
    const serverFetch = fetchWith(handle)
    const early = AbortSignal.abort(new Error('too early'))
    await expect(serverFetch('/', { signal: early })).rejects.toThrow('too early')
    expect(handle).not.toHaveBeenCalled()
    const abort = new AbortController()
    const pending = serverFetch('/', { signal: abort.signal })
    abort.abort()
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' })
    expect(handle.mock.calls[0]?.[0].signal.aborted).toBe(true)
  })
})
