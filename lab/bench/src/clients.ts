/** The clients that are measured: ours, and released ones. */
export const CLIENT_NAMES = [
  'fetch',
  'ky',
  'ky + zod/mini',
  'modelrun',
  'openai',
  'anthropic',
  'replicate',
  'fal',
] as const

export type ClientName = (typeof CLIENT_NAMES)[number]

/** What is not left at a client's default. */
export interface ClientSettings {
  baseUrl: string
  /** Time limit of one request, in milliseconds. */
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  pollIntervalMs?: number | undefined
  /** Time limit of a whole wait, in milliseconds. */
  deadlineMs?: number | undefined
}

/** The same three things of every client. */
export interface BenchClient {
  /** One GET of a small JSON document. */
  read(signal?: AbortSignal): Promise<unknown>
  /** The call that costs money: one POST when all goes well. */
  pay(signal?: AbortSignal): Promise<unknown>
  /** Starts a job and polls it to its end; absent where the client has nothing like it. */
  follow?: (signal?: AbortSignal) => Promise<unknown>
}

/** Imports a client and makes one. Others are not loaded, so that the process holds nothing but what it measures. */
export function createClient(name: ClientName, settings: ClientSettings): Promise<BenchClient> {
  return FACTORIES[name](settings)
}

const INPUT = { prompt: 'a red fox' }
const KEY = 'sk_test_bench'

const FACTORIES: Readonly<Record<ClientName, (settings: ClientSettings) => Promise<BenchClient>>> = {
  fetch: async ({ baseUrl, timeoutMs }) => {
    const limit = (signal?: AbortSignal) => ({
      signal: timeoutMs === undefined ? (signal ?? null) : AbortSignal.timeout(timeoutMs),
    })
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    return {
      read: async (signal) => (await fetch(`${baseUrl}/v1/jobs/job_1`, { headers, ...limit(signal) })).json(),
      pay: async (signal) => {
        const body = JSON.stringify({ input: INPUT })
        return (await fetch(`${baseUrl}/v1/runs`, { method: 'POST', headers, body, ...limit(signal) })).json()
      },
    }
  },

  ky: async ({ baseUrl, timeoutMs, maxRetries }) => {
    const { default: ky } = await import('ky')
    const client = ky.create({
      headers: { authorization: `Bearer ${KEY}` },
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(maxRetries === undefined ? {} : { retry: maxRetries }),
    })
    return {
      read: (signal) => client.get(`${baseUrl}/v1/jobs/job_1`, { signal: signal ?? null }).json(),
      pay: (signal) => client.post(`${baseUrl}/v1/runs`, { json: { input: INPUT }, signal: signal ?? null }).json(),
    }
  },

  'ky + zod/mini': async (settings) => {
    const plain = await FACTORIES.ky(settings)
    const { jobResponseSchema } = await import('@modelrun/contract')
    return {
      read: async (signal) => jobResponseSchema.parse(await plain.read(signal)),
      pay: plain.pay,
    }
  },

  modelrun: async ({ baseUrl, timeoutMs, maxRetries, pollIntervalMs, deadlineMs }) => {
    const { ModelRun } = await import('modelrun')
    const polling = { initialIntervalMs: pollIntervalMs }
    const client = new ModelRun({ apiKey: KEY, baseUrl, timeoutMs, maxRetries, polling })
    const run = (signal?: AbortSignal) => client.run('aurora/image', INPUT, { signal, deadlineMs })
    return { read: (signal) => client.jobs.get('job_1', { signal }), pay: run, follow: run }
  },

  openai: async ({ baseUrl, timeoutMs, maxRetries, pollIntervalMs }) => {
    const { default: OpenAI } = await import('openai')
    const client = new OpenAI({
      apiKey: KEY,
      baseURL: baseUrl,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    })
    return {
      read: (signal) => client.models.retrieve('job_1', { signal }),
      pay: (signal) => client.images.generate(INPUT, { signal }),
      follow: (signal) =>
        client.vectorStores.files.createAndPoll(
          'store',
          { file_id: 'file' },
          { signal, ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }) },
        ),
    }
  },

  anthropic: async ({ baseUrl, timeoutMs, maxRetries }) => {
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    const client = new Anthropic({
      apiKey: KEY,
      baseURL: baseUrl,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    })
    const message = {
      model: 'aurora',
      max_tokens: 16,
      messages: [{ role: 'user' as const, content: INPUT.prompt }],
    }
    return {
      read: (signal) => client.get('/v1/jobs/job_1', { signal }),
      pay: (signal) => client.messages.create(message, { signal }),
    }
  },

  replicate: async ({ baseUrl, pollIntervalMs }) => {
    const { default: Replicate } = await import('replicate')
    const client = new Replicate({ auth: KEY, baseUrl })
    const abort = (signal?: AbortSignal) => (signal === undefined ? {} : { signal })
    const poll = { mode: 'poll' as const, ...(pollIntervalMs === undefined ? {} : { interval: pollIntervalMs }) }
    return {
      read: (signal) => client.predictions.get('job_1', abort(signal)),
      pay: (signal) => client.run('aurora/image', { input: INPUT, ...abort(signal) }),
      follow: (signal) => client.run('aurora/image', { input: INPUT, wait: poll, ...abort(signal) }),
    }
  },

  fal: async ({ baseUrl, pollIntervalMs, deadlineMs }) => {
    const { createFalClient } = await import('@fal-ai/client')
    const client = createFalClient({
      credentials: KEY,
      requestMiddleware: async (request) => ({
        ...request,
        url: request.url.replace('https://queue.fal.run', baseUrl),
      }),
    })
    const abort = (signal?: AbortSignal) => (signal === undefined ? {} : { abortSignal: signal })
    const wait = {
      ...(pollIntervalMs === undefined ? {} : { pollInterval: pollIntervalMs }),
      ...(deadlineMs === undefined ? {} : { timeout: deadlineMs }),
    }
    const subscribe = (signal?: AbortSignal) =>
      client.subscribe('aurora/image', { input: INPUT, ...abort(signal), ...wait })
    return {
      read: (signal) => client.queue.status('aurora/image', { requestId: 'job_1', ...abort(signal) }),
      pay: subscribe,
      follow: subscribe,
    }
  },
}
