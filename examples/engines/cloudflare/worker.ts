import { DurableObject, WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from 'cloudflare:workers'
import { NonRetryableError } from 'cloudflare:workflows'
import { createRuns, type Runs, type StepRun } from '@modelrun/durable'
import { createDurableObjectEngine } from '@modelrun/durable/durable-object'
import { ConfigurationError, InputValidationError, ModelRun } from 'modelrun'

interface Env {
  /** A secret: `npx wrangler secret put MODELRUN_API_KEY`. */
  MODELRUN_API_KEY: string
  MODELRUN_BASE_URL: string
  VIDEOS: DurableObjectNamespace<Videos>
  MAKE_VIDEO: Workflow<Order>
}

interface Order {
  orderId: string
  prompt: string
}

/** The runs, with the memory of what was sent. */
export class Videos extends DurableObject<Env> {
  readonly #runs: Runs

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const engine = createDurableObjectEngine(ctx.storage)
    const client = new ModelRun({ apiKey: env.MODELRUN_API_KEY, baseUrl: env.MODELRUN_BASE_URL })
    this.#runs = createRuns({ engine, client, name: 'videos' })
    ctx.blockConcurrencyWhile(() => engine.setup())
  }

  async send({ orderId, prompt }: Order): Promise<StepRun | { mistake: string }> {
    try {
      return await this.#runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt })
    } catch (error) {
      // The class of an error does not survive the call of an object.
      const isMistake = error instanceof ConfigurationError || error instanceof InputValidationError
      if (isMistake) return { mistake: error.message }
      throw error
    }
  }

  /** Stores a run that no workflow waits for. */
  async add({ orderId, prompt }: Order) {
    await this.#runs.add(`video:${orderId}`, 'lumen/aurora-video', { prompt })
    await this.ctx.storage.setAlarm(Date.now())
  }

  override async alarm() {
    const { waiting, running } = await this.#runs.sweep({ forMs: 20_000 })
    if (waiting + running > 0) await this.ctx.storage.setAlarm(Date.now() + 10_000)
  }

  progress() {
    return this.#runs.progress()
  }
}

export class MakeVideo extends WorkflowEntrypoint<Env, Order> {
  override async run({ payload }: WorkflowEvent<Order>, step: WorkflowStep) {
    for (let turn = 1; ; turn += 1) {
      // May run twice, also at once: the video is paid once.
      const run = await step.do(`send-${turn}`, async (): Promise<StepRun> => {
        const sent = await this.env.VIDEOS.getByName('videos').send(payload)
        if ('mistake' in sent) throw new NonRetryableError(sent.mistake)
        return sent
      })
      if (run.afterMs === undefined) return run
      await step.sleep(`wait-${turn}`, run.afterMs)
    }
  }
}

/** `POST /` with an order starts its workflow. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const order: Order = await request.json()
    const { id } = await env.MAKE_VIDEO.create({ params: order })
    return Response.json({ id }, { status: 202 })
  },
}
