import type { Clock } from 'modelrun'

/** The clients that can wait for a job. */
export type WaitingClient = 'modelrun' | 'replicate' | 'fal' | 'openai'

/** How the service treats a run: it keeps the connection until the result, or gives a job at once. */
export type Treatment = 'held' | 'queued'

/** Where a client finds the service, and what is not left at its default. */
export interface WaitSettings {
  origin: string
  treatment: Treatment
  fetch?: typeof fetch
  /** For the client that takes one. */
  clock?: Clock
  /** For the client that takes one: where its jitter comes from. */
  random?: () => number
  /** For the clients that have a fixed interval. */
  pollIntervalMs?: number
  /** For the client that has such a limit. */
  maxRequestsPerSecond?: number
}

/** The same three things of every client. */
export interface JobWaiter {
  /** Runs a model to its end; the service gives the job this id. */
  run(id: string): Promise<unknown>
  /** Starts a run; what it resolves with waits for its end. */
  submit(id: string): Promise<() => Promise<unknown>>
  /** Waits for a job that was started elsewhere. */
  wait(id: string, signal?: AbortSignal): Promise<unknown>
}

/** Imports a client and makes one. Others are not loaded. */
export function connect(client: WaitingClient, settings: WaitSettings): Promise<JobWaiter> {
  return FACTORIES[client](settings, `${settings.origin}/${settings.treatment}/${client}`)
}

const MODEL = 'aurora/image'
const KEY = 'sk_test_bench'

type Factory = (settings: WaitSettings, baseUrl: string) => Promise<JobWaiter>

const FACTORIES: Readonly<Record<WaitingClient, Factory>> = {
  modelrun: async ({ treatment, fetch, clock, random, maxRequestsPerSecond }, baseUrl) => {
    const { ModelRun } = await import('modelrun')
    const client = new ModelRun({ apiKey: KEY, baseUrl, fetch, clock, random, polling: { maxRequestsPerSecond } })
    const mode = treatment === 'held' ? 'sync' : 'async'
    return {
      run: (id) => client.run(MODEL, { prompt: id }, { mode }),
      submit: async (id) => {
        const handle = await client.submit(MODEL, { prompt: id })
        return () => handle.result()
      },
      wait: (id, signal) => (signal ? client.jobs.attach(id).result({ signal }) : client.jobs.attach(id).result()),
    }
  },

  replicate: async ({ treatment, fetch, pollIntervalMs }, baseUrl) => {
    const { default: Replicate } = await import('replicate')
    const client = new Replicate({ auth: KEY, baseUrl, ...(fetch ? { fetch } : {}) })
    const interval = pollIntervalMs === undefined ? {} : { interval: pollIntervalMs }
    const wait = treatment === 'held' ? { mode: 'block' as const } : { mode: 'poll' as const, ...interval }
    const create = (id: string) => client.predictions.create({ model: MODEL, input: { prompt: id } })
    type Prediction = Awaited<ReturnType<typeof create>>
    return {
      run: (id) => client.run(MODEL, { input: { prompt: id }, wait }),
      submit: async (id) => {
        const prediction = await create(id)
        return () => client.wait(prediction, interval)
      },
      wait: (id, signal) => {
        // `wait` reads nothing but these two.
        const prediction = { id, status: 'starting' } as Prediction
        // Its own `run` checks the signal in this way.
        return client.wait(prediction, interval, async () => signal?.aborted ?? false)
      },
    }
  },

  fal: async ({ treatment, fetch, pollIntervalMs }, baseUrl) => {
    const { createFalClient } = await import('@fal-ai/client')
    const client = createFalClient({
      credentials: KEY,
      requestMiddleware: async (request) => ({
        ...request,
        url: request.url.replace(/^https:\/\/(queue\.)?fal\.run/, baseUrl),
      }),
      ...(fetch ? { fetch } : {}),
    })
    const interval = pollIntervalMs === undefined ? {} : { pollInterval: pollIntervalMs }
    const wait = (id: string, signal?: AbortSignal) =>
      client.queue.subscribeToStatus(MODEL, {
        requestId: id,
        ...interval,
        ...(signal ? { abortSignal: signal } : {}),
      })
    return {
      run: (id) => (treatment === 'held' ? client.run : client.subscribe)(MODEL, { input: { prompt: id } }),
      submit: async (id) => {
        const { request_id } = await client.queue.submit(MODEL, { input: { prompt: id } })
        return () => wait(request_id)
      },
      wait,
    }
  },

  openai: async ({ fetch, pollIntervalMs }, baseUrl) => {
    const { default: OpenAI } = await import('openai')
    const client = new OpenAI({ apiKey: KEY, baseURL: baseUrl, ...(fetch ? { fetch } : {}) })
    const { files } = client.vectorStores
    const interval = pollIntervalMs === undefined ? {} : { pollIntervalMs }
    const wait = (id: string, signal?: AbortSignal) =>
      files.poll('store', id, { ...interval, ...(signal ? { signal } : {}) })
    return {
      run: (id) => files.createAndPoll('store', { file_id: id }, interval),
      submit: async (id) => {
        await files.create('store', { file_id: id })
        return () => wait(id)
      },
      wait,
    }
  },
}
