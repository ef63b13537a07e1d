import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { handlers } from '@modelrun/reference-server/msw'
import { ModelRun, type RunResult } from 'modelrun'
import { setupWorker } from 'msw/browser'

/** What the page did with one of its services. */
export interface PageStory {
  modelId: string
  jobId: string
  /** As reported by the client. */
  statuses: string[]
  outputUrl: string
  /** Of the produced image, drawn by the browser itself; 0 when it could not. */
  pictureWidth: number
  creditsSpent: number
}

const CREDITS = 1_000
const CLIENT_OPTIONS = { dangerouslyAllowBrowser: true, maxRetries: 0 }

/** Uses two services at two addresses, neither of which exists, both at once. */
async function usePage(): Promise<PageStory[]> {
  const services = ['https://one.modelrun.test', 'https://two.modelrun.test/inference'].map((baseUrl) => {
    const server = createReferenceServer({ clock: 'auto', credits: CREDITS, baseUrl })
    return { server, handlers: handlers(server, { baseUrl }) }
  })
  const worker = setupWorker(...services.flatMap((service) => service.handlers))
  await worker.start({ quiet: true })
  try {
    return await Promise.all(services.map(({ server }) => useService(server)))
  } finally {
    await worker.stop()
  }
}

// For the test, which is outside of the page.
Object.assign(globalThis, { usePage })

/** A run of an image in the background, on plain `fetch` of the page. */
async function useService(server: ReferenceServer): Promise<PageStory> {
  const { apiKey, baseUrl, clock } = server
  const client = new ModelRun({ apiKey, baseUrl, clock, ...CLIENT_OPTIONS })
  const statuses: string[] = []
  const input = { prompt: 'a lighthouse', image_size: 'square' }
  const handle = await client.submit('aurora-image', input)
  const result = await handle.result({ onStatus: ({ status }) => statuses.push(status) })
  const outputUrl = result.output.items[0]?.url ?? ''
  const pictureWidth = await drawnWidth(outputUrl)
  return { ...identity(result), statuses, outputUrl, pictureWidth, creditsSpent: CREDITS - server.credits() }
}

function identity({ model_id, job_id }: RunResult): Pick<PageStory, 'modelId' | 'jobId'> {
  return { modelId: model_id ?? 'unknown', jobId: job_id }
}

async function drawnWidth(url: string): Promise<number> {
  const image = new Image()
  image.src = url
  document.body.append(image)
  await image.decode().catch(() => {})
  return image.naturalWidth
}
