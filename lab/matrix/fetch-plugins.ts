import { setTimeout as sleep } from 'node:timers/promises'
import ky from 'ky'
import type { FetchInit } from 'modelrun'
import { never, type Plugin, type Setting } from './plugin.ts'

type Send = (url: string, init: FetchInit) => Promise<Response>
const send: Send = (url, init) => fetch(url, init)

/** A `fetch` of the caller. Its faults are of types that the client's own types forbid. */
const withFetch = (name: string, make: (setting: Setting) => unknown, flags: Partial<Plugin> = {}): Plugin => ({
  name: `fetch: ${name}`,
  ...flags,
  plug: (setting) => ({ client: { fetch: make(setting) as Send } }),
})

const hides = { hidesResponses: true }
const harmless = { isHarmless: true }

/** The error of Node's own `fetch` when nothing listens, which another program makes. */
function unreachableError({ baseUrl, fault }: Setting): Error {
  const { hostname: address, port } = new URL(baseUrl)
  const cause = Object.assign(fault('ECONNREFUSED'), { address, port: Number(port), syscall: 'connect', errno: -111 })
  return new TypeError('fetch failed', { cause })
}

const FETCHES: readonly Plugin[] = [
  withFetch('plain wrapper', () => send, harmless),
  withFetch('reads the body, makes a new response', () => async (url: string, init: FetchInit) => {
    const response = await send(url, init)
    return new Response(await response.text(), response)
  }, { ...hides, ...harmless }), // biome-ignore format: a row
  withFetch(
    'drops the signal',
    () =>
      (url: string, { signal: _, ...init }: FetchInit) =>
        fetch(url, init),
    harmless,
  ),
  withFetch('fails after sending: ECONNREFUSED', ({ fault }) => async (url: string, init: FetchInit) => {
    await send(url, init)
    throw fault('ECONNREFUSED')
  }, hides), // biome-ignore format: a row
  withFetch("fails after sending, with the platform's error", (setting) => async (url: string, init: FetchInit) => {
    await send(url, init)
    throw unreachableError(setting)
  }, hides), // biome-ignore format: a row
  withFetch('reads the body, gives the used response', () => async (url: string, init: FetchInit) => {
    const response = await send(url, init)
    await response.text()
    return response
  }, hides), // biome-ignore format: a row
  withFetch('sends, rejects late', ({ fault }) => async (url: string, init: FetchInit) => {
    await fetch(url, { ...init, signal: null }).catch(() => {})
    await sleep(1_500, undefined, { ref: false })
    throw fault()
  }, hides), // biome-ignore format: a row
  withFetch('sends, never settles', () => (url: string, init: FetchInit) => send(url, init).then(never, never), hides),
  withFetch('never settles', () => never, hides),
  withFetch('throws', ({ fault }) => () => {
    throw fault()
  }, hides), // biome-ignore format: a row
  withFetch('rejects with undefined', () => () => Promise.reject(undefined), hides),
  withFetch('resolves with undefined', () => async (url: string, init: FetchInit) => void (await send(url, init)), hides), // biome-ignore format: a row
  withFetch('resolves with {}', () => async (url: string, init: FetchInit) => ((await send(url, init)) ? {} : {}), hides), // biome-ignore format: a row
  withFetch('gives a body that throws', ({ fault }) => async (url: string, init: FetchInit) => {
    const { status, headers } = await send(url, init)
    const body = new ReadableStream({ pull: (controller) => controller.error(fault()) })
    return new Response(body, { status: status === 204 ? 200 : status, headers })
  }, hides), // biome-ignore format: a row
]

const withKy = (name: string, make: (setting: Setting) => object, flags: Partial<Plugin> = {}): Plugin => ({
  name: `ky: ${name}`,
  ...flags,
  plug: (setting) => ({ client: { ky: ky.extend(make(setting)) } }),
})
const throwing =
  ({ fault }: Setting) =>
  () => {
    throw fault()
  }

const KYS: readonly Plugin[] = [
  withKy('plain', () => ({}), harmless),
  withKy('retries posts', () => ({ retry: { limit: 3, methods: ['post', 'get'], delay: () => 1 } }), harmless),
  withKy('beforeRequest throws', (setting) => ({ hooks: { beforeRequest: [throwing(setting)] } })),
  withKy('beforeRequest hangs', () => ({ hooks: { beforeRequest: [never] } })),
  withKy('afterResponse throws', (setting) => ({ hooks: { afterResponse: [throwing(setting)] } })),
  withKy('afterResponse hangs', () => ({ hooks: { afterResponse: [never] } })),
  withKy('afterResponse gives another', () => ({ hooks: { afterResponse: [() => new Response('{}')] } }), hides),
  withKy('signal aborted before', ({ fault }) => ({ signal: AbortSignal.abort(fault()) })),
  withKy('signal aborts midway', ({ fault, cell }) => {
    const controller = new AbortController()
    cell.onRequest = () => setTimeout(() => controller.abort(fault()), 20).unref()
    return { signal: controller.signal }
  }),
]

/** What a caller may put between the client and the network. */
export const FETCH_PLUGINS: readonly Plugin[] = [...FETCHES, ...KYS]
