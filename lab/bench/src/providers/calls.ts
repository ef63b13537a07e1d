import { createFal } from '@ai-sdk/fal'
import { createReplicate } from '@ai-sdk/replicate'
import { createModelRun } from '@modelrun/ai-sdk-provider'
import { createReferenceServer } from '@modelrun/reference-server'
import { generateImage, generateSpeech, experimental_generateVideo as generateVideo } from 'ai'
import { ModelRun } from 'modelrun'
import { fakeService } from './fake-service.ts'
import type { Fault } from './faults.ts'

export const VENDORS = ['fal', 'Replicate', 'modelrun'] as const
export const KINDS = ['image', 'speech', 'video', 'video by status'] as const
export type Vendor = (typeof VENDORS)[number]
export type Kind = (typeof KINDS)[number]

/** What one logical call cost, and whether it brought its file. */
export interface Outcome {
  posts: number
  charges: number
  end: 'ok' | 'error'
}

// Objects, not the ids of models of a gateway.
type ImageModel = Exclude<Parameters<typeof generateImage>[0]['model'], string>
type SpeechModel = Exclude<Parameters<typeof generateSpeech>[0]['model'], string>
type VideoModel = Exclude<Parameters<typeof generateVideo>[0]['model'], string>
type Download = NonNullable<Parameters<typeof generateVideo>[0]['download']>

/** What a program has of a provider. */
interface Models {
  image?: ImageModel
  speech?: SpeechModel
  video: VideoModel
}

/** Makes one logical call, with the retries of the AI SDK; undefined where the provider has no such models. */
export async function measureCall(vendor: Vendor, kind: Kind, fault: Fault): Promise<Outcome | undefined> {
  if (vendor === 'modelrun') return await measureOurs(kind, fault)
  const { fetch, seen } = fakeService(vendor === 'fal' ? 'fal' : 'replicate', kind, fault)
  const call = callOf(kind, vendor === 'fal' ? falModels(fetch) : replicateModels(fetch), downloadWith(fetch))
  return call && { ...(await endOf(call)), ...seen }
}

function falModels(fetch: typeof globalThis.fetch): Models {
  const fal = createFal({ apiKey: 'key', fetch })
  // Its video model has the types of an earlier version of the AI SDK's specification. `ai` runs it.
  return { image: fal.image('fal-ai/flux'), speech: fal.speech('a/speech'), video: fal.video('a/video') as VideoModel }
}

function replicateModels(fetch: typeof globalThis.fetch): Models {
  const replicate = createReplicate({ apiToken: 'key', fetch })
  return { image: replicate.image('a/image'), video: replicate.video('a/video') }
}

async function measureOurs(kind: Kind, fault: Fault): Promise<Outcome | undefined> {
  const server = createReferenceServer({ clock: 'auto' })
  server.faults.add(fault.ours)
  const given = server.clientOptions()
  let posts = 0
  const fetch: typeof given.fetch = (url, init) => {
    if (init?.method === 'POST') posts += 1
    return given.fetch(url, init)
  }
  const client = new ModelRun({ ...given, fetch, logLevel: 'off' })
  const modelrun = createModelRun({ client })
  const models: Models = {
    image: modelrun.image('aurora-image'),
    speech: modelrun.speech('vocalis/narrator'),
    video: modelrun.video('lumen/aurora-video'),
  }
  const price = { image: 4, speech: 5, video: 60, 'video by status': 60 }[kind]
  const before = server.credits()
  const call = callOf(kind, models)
  const { end } = await endOf(call ?? (async () => {}))
  // Every job has ended after an hour on the clock of the server.
  await new Promise<void>((resolve) => client.clock.setTimeout(resolve, 3_600_000))
  return { posts, charges: (before - server.credits()) / price, end }
}

/** One logical call as a program writes it. */
function callOf(kind: Kind, models: Models, download?: Download): (() => Promise<unknown>) | undefined {
  const { image, speech, video: model } = models
  const prompt = 'a fox'
  const given = download ? { download } : {}
  if (kind === 'image') return image && (() => generateImage({ model: image, prompt }))
  if (kind === 'speech') return speech && (() => generateSpeech({ model: speech, text: prompt }))
  if (kind === 'video') return () => generateVideo({ model, prompt, ...given })
  return () => generateVideo({ model, prompt, poll: { intervalMs: 20 }, ...given })
}

/** The download of the AI SDK, from the file host of the fake service: one try. */
function downloadWith(fetch: typeof globalThis.fetch): Download {
  return async ({ url }) => {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const mediaType = response.headers.get('content-type') ?? undefined
    return { data: new Uint8Array(await response.arrayBuffer()), mediaType }
  }
}

async function endOf(call: () => Promise<unknown>): Promise<Pick<Outcome, 'end'>> {
  try {
    await call()
    return { end: 'ok' }
  } catch {
    return { end: 'error' }
  }
}
