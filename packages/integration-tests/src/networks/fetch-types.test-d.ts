import { createReferenceServer } from '@modelrun/reference-server'
import { Hono } from 'hono'
import type { FetchInit, FetchLike, FetchOptions, ModelRunOptions } from 'modelrun'
import { Agent, ProxyAgent, type Headers as UndiciHeaders, fetch as undiciFetch } from 'undici'
import { describe, expectTypeOf, test } from 'vitest'

type HeadersOption = NonNullable<ModelRunOptions['headers']>

const dispatcher = new ProxyAgent('http://proxy.example.com:3128')

/** What node-fetch and its like have: their own classes, and a Node stream as body. */
interface OldResponse {
  ok: boolean
  status: number
  headers: {
    get(name: string): string | null
    forEach(visit: (value: string, name: string, parent: unknown) => void): void
    raw(): Record<string, string[]>
  }
  body: NodeJS.ReadableStream | null
  text(): Promise<string>
}
interface OldInit {
  method?: string
  headers?: Record<string, string> | [string, string][]
  body?: NodeJS.ReadableStream | string | null
  signal?: AbortSignal | null
  redirect?: 'error' | 'follow' | 'manual'
  agent?: unknown
}
declare const oldFetch: (url: URL | string, init?: OldInit) => Promise<OldResponse>

describe('the option `fetch` takes without a cast', () => {
  test('the `fetch` of a platform and of libraries', () => {
    expectTypeOf(globalThis.fetch).toExtend<FetchLike>()
    expectTypeOf(undiciFetch).toExtend<FetchLike>()
    expectTypeOf(oldFetch).toExtend<FetchLike>()
    expectTypeOf(createReferenceServer().fetch).toExtend<FetchLike>()
    expectTypeOf(new Hono().request).toExtend<FetchLike>()
  })

  test('functions around them', () => {
    const options: ModelRunOptions[] = [
      { fetch: (url, init) => fetch(url, init) },
      { fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }) },
      { fetch: (url, init) => oldFetch(url, { ...init, agent: null }) },
      { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'x-a': 'b' } }) },
      { fetch: async (input: string | URL | Request, init?: RequestInit) => await fetch(input, init) },
      { fetch: async () => Response.json({}) },
      { fetch: () => new Response('{}') },
    ]
    expectTypeOf(options).not.toBeAny()
  })

  test('but no function that takes a Request alone, or gives something else', () => {
    expectTypeOf<(request: Request) => Promise<Response>>().not.toExtend<FetchLike>()
    expectTypeOf<() => Promise<string>>().not.toExtend<FetchLike>()
  })

  test('and gives it an object that can be read and copied', () => {
    expectTypeOf<FetchInit['headers']>().toEqualTypeOf<Record<string, string>>()
    expectTypeOf<FetchInit['signal']>().toEqualTypeOf<AbortSignal>()
  })
})

describe('the option `headers` takes', () => {
  test('an object, Headers of any library, pairs', () => {
    expectTypeOf<Record<string, string>>().toExtend<HeadersOption>()
    expectTypeOf<{ 'x-tenant': string | undefined }>().toExtend<HeadersOption>()
    expectTypeOf<{ 'x-tenant'?: string }>().toExtend<HeadersOption>()
    expectTypeOf<Headers>().toExtend<HeadersOption>()
    expectTypeOf<UndiciHeaders>().toExtend<HeadersOption>()
    expectTypeOf<[string, string][]>().toExtend<HeadersOption>()
    expectTypeOf<HeadersInit>().toExtend<HeadersOption>()
    expectTypeOf<Map<string, string>>().toExtend<HeadersOption>()
  })

  test('but no text and no numbers', () => {
    expectTypeOf<string>().not.toExtend<HeadersOption>()
    expectTypeOf<{ 'x-tenant': number }>().not.toExtend<HeadersOption>()
  })
})

describe('the option `fetchOptions` takes', () => {
  test('what each runtime knows', () => {
    const options: FetchOptions[] = [
      { dispatcher },
      { dispatcher: new Agent({ connect: { ca: '' } }) },
      { proxy: 'http://proxy.example.com:3128', tls: { ca: '' } },
      { next: { tags: ['models'] } },
      { cf: { cacheTtl: 0 } },
      { keepalive: true, credentials: 'include', priority: 'low' },
      { ofSomeOtherRuntime: 1 },
      { dispatcher: undefined },
    ]
    expectTypeOf(options).not.toBeAny()
  })

  test('but not what the client decides, and no agent as it is', () => {
    expectTypeOf<{ signal: AbortSignal }>().not.toExtend<FetchOptions>()
    expectTypeOf<{ headers: Record<string, string> }>().not.toExtend<FetchOptions>()
    expectTypeOf<{ cache: 'no-store' }>().not.toExtend<FetchOptions>()
    expectTypeOf<ProxyAgent>().not.toExtend<FetchOptions>()
  })
})
