import { ModelRun, ModelRunError } from 'modelrun'

/** The outcome of a run in the page. */
interface PageRun {
  jobId: string
  status: string
  statuses: string[]
  credits: number | undefined
  /** Of the image, drawn by the browser itself; 0 when it could not. */
  pictureWidth: number
}

/** An error as the test reads it. */
interface PageError {
  name: string
  message: string
  submission: string | undefined
  status: number | undefined
}

const client = new ModelRun({ baseUrl: '/api/modelrun' })

async function draw(): Promise<PageRun> {
  const statuses: string[] = []
  const onStatus = ({ status }: { status: string }) => statuses.push(status)
  const result = await client.run('aurora-image', { prompt: 'a lighthouse', image_size: 'square' }, { onStatus })
  const { job_id, status, credits_used } = result
  const image = new Image()
  image.src = result.output.items[0]?.url ?? ''
  document.body.append(image)
  await image.decode().catch(() => {})
  return { jobId: job_id, status, statuses, credits: credits_used, pictureWidth: image.naturalWidth }
}

/** One run that the service holds, without a poll. */
async function hold(): Promise<string> {
  const { status } = await client.models.run('aurora-image', { input: { prompt: 'a held fox' } })
  return status
}

/** What a client in this page gets from a proxy elsewhere. */
async function runElsewhere(baseUrl: string): Promise<PageError> {
  return await failureOf(new ModelRun({ baseUrl, maxRetries: 0 }).run('aurora-image', { prompt: 'x' }))
}

/** What a page of another site can send without asking: a form, or text with the cookies of its visitor. */
async function sendBlindly(url: string): Promise<void> {
  const body = JSON.stringify({ input: { prompt: 'paid by the visitor' } })
  await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).catch(() => {})
  const asJson = {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body,
  } as const
  await fetch(url, asJson).catch(() => {})
}

/** What a client with a key says, here and in a worker of this page. */
async function useKey(): Promise<string[]> {
  const worker = new Worker('/worker.js', { type: 'module' })
  const inWorker = await new Promise<string>((resolve) => {
    worker.onmessage = ({ data }) => resolve(String(data))
  })
  worker.terminate()
  try {
    new ModelRun({ apiKey: 'sk_test_0123456789', baseUrl: 'https://api.example.com' })
    return ['created', inWorker]
  } catch (error) {
    return [String(error), inWorker]
  }
}

/** Downloads a file of a service, and returns its text or the error. */
async function download(baseUrl: string, url: string): Promise<string> {
  const local = new ModelRun({ apiKey: 'sk_test_page', baseUrl, dangerouslyAllowBrowser: true, maxRetries: 0 })
  const read = async () => (await (await local.files.download(url)).blob()).text()
  return await read().catch(String)
}

async function failureOf(work: Promise<unknown>): Promise<PageError> {
  try {
    await work
  } catch (error) {
    if (error instanceof ModelRunError) {
      const { name, message, submission, status } = error
      return { name, message, submission, status }
    }
  }
  return { name: 'none', message: '', submission: undefined, status: undefined }
}

/** What the test, which is outside of the page, can call. */
export interface PageFunctions {
  draw: typeof draw
  download: typeof download
  hold: typeof hold
  runElsewhere: typeof runElsewhere
  sendBlindly: typeof sendBlindly
  useKey: typeof useKey
}

Object.assign(globalThis, { page: { draw, download, hold, runElsewhere, sendBlindly, useKey } satisfies PageFunctions })
