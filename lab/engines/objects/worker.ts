import { DurableObject } from 'cloudflare:workers'
import { createDurableObjectEngine } from '../../../packages/durable/src/durable-object/durable-object-engine.ts'
import { createRuns, type Runs } from '../../../packages/durable/src/index.ts'
import { engineChecks } from '../../../packages/durable/test/engine-checks.ts'
import { ModelRun } from '../../../packages/sdk/src/index.ts'

interface Env {
  OBJECTS: DurableObjectNamespace<Checked>
  API_KEY: string
  BASE_URL: string
}

const MODEL = 'lumen/aurora-video'

/** An object whose engine is checked, and whose batch dies on request. */
export class Checked extends DurableObject<Env> {
  readonly #runs: Runs
  #diesAfterPost = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const engine = createDurableObjectEngine(ctx.storage)
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init)
      if (init?.method === 'POST' && this.#diesAfterPost) ctx.abort('Died after the POST.')
      return response
    }
    const client = new ModelRun({ apiKey: env.API_KEY, baseUrl: env.BASE_URL, fetch })
    this.#runs = createRuns({ engine, client, lockMs: 2_000 })
    ctx.blockConcurrencyWhile(() => engine.setup())
  }

  async check(name: string) {
    const checks = engineChecks(() => createDurableObjectEngine(this.ctx.storage, { pollMs: 50 }))
    await checks.find((check) => check.name === name)?.run()
  }

  async add(keys: string[]) {
    for (const key of keys) await this.#runs.add(key, MODEL, { prompt: key })
    await this.ctx.storage.setAlarm(Date.now())
  }

  override async alarm() {
    const { waiting, running } = await this.#runs.sweep({ forMs: 5_000 })
    if (waiting + running > 0) await this.ctx.storage.setAlarm(Date.now() + 100)
  }

  async send(key: string, dies: boolean) {
    this.#diesAfterPost = dies
    return await this.#runs.send(key, MODEL, { prompt: key })
  }

  progress() {
    return this.#runs.progress()
  }
}

/** A request names a method and has its arguments. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { method, args }: { method: string; args: never[] } = await request.json()
    const stub = env.OBJECTS.getByName(method === 'check' ? String(args[0]) : 'batch')
    const methods: Record<string, () => Promise<unknown>> = {
      names: async () => engineChecks(() => Promise.reject(new Error('Only their names.'))).map(({ name }) => name),
      check: () => stub.check(...(args as unknown as [string])),
      add: () => stub.add(...(args as unknown as [string[]])),
      send: () => stub.send(...(args as unknown as [string, boolean])),
      progress: () => stub.progress(),
    }
    try {
      return Response.json({ value: await methods[method]?.() })
    } catch (error) {
      return Response.json({ error: String(error) })
    }
  },
}
