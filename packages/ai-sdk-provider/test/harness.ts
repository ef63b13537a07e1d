import { inspect } from 'node:util'
import { createReferenceServer, type ReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { generateImage, generateSpeech, experimental_generateVideo as generateVideo } from 'ai'
import { ModelRun } from 'modelrun'
import { vi } from 'vitest'
import type { ModelRunProviderOptions } from '../src/options.ts'
import { createModelRun, type ModelRunProvider } from '../src/provider.ts'

/** A provider on a reference server of its own. */
export interface Setup {
  server: ReferenceServer
  client: ModelRun
  modelrun: ModelRunProvider
  /** Requests to run a model that were tried. */
  posts: () => number
  /** Credits that were charged. */
  charged: () => number
}

export function setup(
  options: ModelRunProviderOptions = {},
  serverOptions: ReferenceServerOptions = {},
  { hasRealFiles = true } = {},
): Setup {
  // Warnings are results here.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const server = createReferenceServer({ clock: 'auto', ...serverOptions })
  const given = server.clientOptions()
  let posts = 0
  const counting: typeof given.fetch = (url, init) => {
    if (init?.method === 'POST') posts += 1
    // Drawing an image takes longer than all the rest of a test.
    if (!hasRealFiles && url.toString().includes('/files/')) return Promise.resolve(new Response(PNG))
    return given.fetch(url, init)
  }
  // With its mark: the client trusts what it reports of connections.
  const fetch = Object.assign(counting, given.fetch)
  const client = new ModelRun({ ...given, fetch, logLevel: 'off' })
  const before = server.credits()
  return {
    server,
    client,
    modelrun: createModelRun({ client, ...options }),
    posts: () => posts,
    charged: () => before - server.credits(),
  }
}

/** Everything that a log could show of a value. */
export function texts(value: unknown): string {
  return [JSON.stringify(value), String(value), inspect(value, { depth: 20, showHidden: true, getters: true })].join(
    '\n',
  )
}

/** Waits an hour on the clock of the server: every job has ended then, and was charged. */
export function untilCharged({ client }: Setup): Promise<void> {
  return new Promise((resolve) => client.clock.setTimeout(resolve, 600_000))
}

/** Makes the waits of the AI SDK between retries short. */
export function shortenWaits(): void {
  const { setTimeout: wait } = globalThis
  vi.stubGlobal('setTimeout', (work: () => void, ms = 0, ...rest: unknown[]) => wait(work, ms / 100, ...rest))
}

/** One logical call of each kind, as a program writes it, and the price of one run. */
export const KINDS = {
  image: {
    price: 4,
    call: ({ modelrun }: Setup) => generateImage({ model: modelrun.image('aurora-image'), prompt: 'a fox' }),
  },
  speech: {
    price: 5,
    call: ({ modelrun }: Setup) => generateSpeech({ model: modelrun.speech('vocalis/narrator'), text: 'hello' }),
  },
  video: {
    price: 60,
    call: ({ modelrun }: Setup) => generateVideo({ model: modelrun.video('lumen/aurora-video'), prompt: 'waves' }),
  },
  'video by status': {
    price: 60,
    call: ({ modelrun }: Setup) =>
      generateVideo({ model: modelrun.video('lumen/aurora-video'), prompt: 'waves', poll: { intervalMs: 50 } }),
  },
} as const

/** An image of one pixel. */
export const PNG = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
)
