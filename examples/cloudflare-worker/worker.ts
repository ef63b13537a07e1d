import { InputValidationError, ModelRun, ModelRunError } from 'modelrun'

/** Variables and secrets of the Worker: `npx wrangler secret put MODELRUN_API_KEY`. */
interface Env {
  MODELRUN_API_KEY: string
  MODELRUN_BASE_URL: string
  /** What your app sends as `Authorization: Bearer …`. */
  APP_TOKEN: string
}

/** `POST /videos` starts a video and responds at once, `GET /videos/:id` is its state. The Worker stores nothing. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${env.APP_TOKEN}`) return new Response(null, { status: 401 })
    // A client for each request: a Worker must not use the connections of one request in another.
    const client = new ModelRun({ apiKey: env.MODELRUN_API_KEY, baseUrl: env.MODELRUN_BASE_URL })
    const { pathname } = new URL(request.url)
    try {
      if (request.method === 'POST' && pathname === '/videos') return await start(client, await request.json())
      const [, id] = /^\/videos\/([^/]+)$/.exec(pathname) ?? []
      return id === undefined ? new Response(null, { status: 404 }) : await read(client, decodeURIComponent(id))
    } catch (error) {
      if (!(error instanceof ModelRunError)) throw error
      console.error(error.message)
      return Response.json({ code: error.code, submission: error.submission }, { status: statusFor(error) })
    }
  },
}

async function start(client: ModelRun, body: unknown): Promise<Response> {
  // An input without a prompt is rejected before anything is sent.
  const input = { prompt: Object(body).prompt }
  const job = await client.submit('lumen/aurora-video', input, { validateInput: true, maxCredits: 100 })
  return Response.json({ id: job.id }, { status: 202 })
}

async function read(client: ModelRun, id: string): Promise<Response> {
  const { status, output, error } = await client.jobs.get(id)
  return Response.json({ status, url: output?.items[0]?.url, error: error?.message })
}

/** `submission: 'unknown'` says that the video may be made, and paid: do not start it again. */
function statusFor(error: ModelRunError): number {
  if (error instanceof InputValidationError) return 400
  return error.code === 'not_found' ? 404 : 502
}
