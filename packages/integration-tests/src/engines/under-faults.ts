import type { Runs } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import type { Plan } from './order.ts'

export interface FaultOptions {
  controlUrl: string
  /** Opens the batch that sends an order. */
  open(plan: Plan): Promise<Runs>
  /** Ends the process, or fails the step, after its run was sent and before that is reported. */
  die(): Promise<never>
}

/** The members of a batch that recipes use, as their steps meet them under the fault of an order. */
export function underFaults({ controlUrl, open, die }: FaultOptions): Runs {
  const ask = async <Body>(question: string, key: string) => {
    const response = await fetch(`${controlUrl}/${question}/${key.split(':').at(-1)}`)
    return (await response.json()) as Body // of `startRecipeService`
  }
  const planOf = (key: string) => ask<Plan>('plan', key)
  const runs: Pick<Runs, 'send' | 'read' | 'runEach'> = {
    // biome-ignore lint/complexity/useMaxParams: as `send`
    async send(key, model, input, options = {}) {
      const plan = await planOf(key)
      const sent =
        plan.variant === 'naive'
          ? await sendNaively({ key, model, input, webhookUrl: options.webhookUrl }, plan)
          : await (await open(plan)).send(key, model, input, options)
      const { isDeath } = await ask<{ isDeath: boolean }>('death', key)
      return isDeath ? die() : sent
    },
    read: async (key, options) => (await open(await planOf(key))).read(key, options),
    // The provider of the AI SDK knows a batch by it.
    runEach: () => {
      throw new Error('No recipe calls it.')
    },
  }
  return runs as Runs // recipes call no more
}

type SentRun = Awaited<ReturnType<Runs['send']>>

/** A step as it is mostly written. With a webhook, its workflow waits for that alone. */
async function sendNaively(
  { key, model, input, webhookUrl }: { key: string; model: string; input: object; webhookUrl: string | undefined },
  { apiKey, baseUrl, fault }: Plan,
): Promise<SentRun> {
  const client = new ModelRun({ apiKey, baseUrl })
  if (fault !== 'lost-webhook') {
    const { job_id: jobId, output } = await client.run(model, { ...input })
    return { key, state: 'succeeded', jobId, output }
  }
  const { id: jobId } = await client.submit(model, { ...input }, webhookUrl === undefined ? {} : { webhookUrl })
  return { key, state: 'running', jobId, afterMs: 300_000 }
}
