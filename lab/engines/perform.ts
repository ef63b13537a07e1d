import type { Order, RecipeFault, Variant } from '../../packages/integration-tests/src/engines/order.ts'
import type { End } from '../../packages/integration-tests/src/engines/program.ts'
import type { startRecipeService } from '../../packages/integration-tests/src/engines/recipe-service.ts'
import { runProgram } from '../../packages/integration-tests/src/engines/run-program.ts'
import type { OtherEngine } from './engines.ts'

/** What one fault did to one variant. */
export interface Outcome {
  posts: number
  credits: number
  /** `kept`, `unknown`, `failed` or `hangs`: what the caller of the workflow has. */
  result: string
}

interface Performance {
  engine: OtherEngine
  program: string
  service: Awaited<ReturnType<typeof startRecipeService>>
  postgresUrl: string
}

const LIMIT_MS = 60_000
/** A naive workflow waits for its lost webhook without end. */
const HANGS_AFTER_MS = 20_000

/** Returns what performs a fault in an engine. */
export function performer({ engine, program, service, postgresUrl }: Performance) {
  const env = {
    DATABASE_URL: postgresUrl,
    DBOS_DATABASE_URL: postgresUrl.replace(/postgres$/, 'dbos'),
    CONTROL_URL: service.controlUrl,
    DEATH: engine.death,
  }
  const once = async (orders: readonly Order[], limitMs: number) => {
    const { ends, output } = await runProgram(program, orders, { env, limitMs })
    if (ends === undefined) console.error(output.slice(-2_000))
    return ends
  }
  /** A process that was killed is started again, as its operator would. */
  const untilEnded = async (orders: readonly Order[], limitMs = LIMIT_MS): Promise<End[]> => {
    const startedAt = performance.now()
    const ends = await once(orders, limitMs)
    if (ends !== undefined || engine.death === 'error' || performance.now() - startedAt >= limitMs) return ends ?? []
    return (await once(orders, limitMs)) ?? []
  }
  /** Two processes of DBOS run one workflow; the others run two workflows of one order. */
  const twice = async (order: Order): Promise<End[]> => {
    if (engine.name !== 'dbos') return await untilEnded([order, order])
    return (await Promise.all([untilEnded([order]), untilEnded([order])])).flat()
  }
  return {
    async fault(variant: Variant, fault: RecipeFault): Promise<Outcome> {
      const order = service.order(engine.name, variant, fault)
      const mayHang = variant === 'naive' && fault === 'lost-webhook'
      const ends = await (fault === 'two-at-once'
        ? twice(order)
        : untilEnded([order], mayHang ? HANGS_AFTER_MS : LIMIT_MS))
      const { posts, credits } = await service.cost(order)
      const outcome = { posts, credits, result: resultOf(ends) }
      console.log(engine.name, variant, fault, outcome, ends.map(({ state }) => state).join())
      return outcome
    },
    /** A video that the AI SDK starts in a step, which dies once. */
    async aiSdk(): Promise<{ posts: number; state: string }> {
      const order = service.order('ai-sdk', 'ours', 'death')
      // The provider reads the model by a client of its own.
      const { ends = [] } = await runProgram(program, [order], { env: { ...env, ...service.environment(order) } })
      const { posts } = await service.cost(order)
      console.log('ai-sdk', posts, ends)
      return { posts, state: ends.map(({ state }) => state).join() }
    },
    /** Runs an order, and another one with its key. Returns how often the step of the second was tried, and how it ended. */
    async conflict(): Promise<{ tries: number; result: string }> {
      const order = service.order(engine.name, 'ours', 'none')
      const first = await untilEnded([order])
      const before = await service.cost(order)
      const ends = await untilEnded([{ ...order, id: `${order.id}-again`, prompt: 'another prompt' }])
      const { sends } = await service.cost(order)
      console.log(engine.name, 'conflict', resultOf(first), ends, sends - before.sends)
      return { tries: sends - before.sends, result: `${resultOf(first)}, ${resultOf(ends)}` }
    },
  }
}

function resultOf(ends: readonly End[]): string {
  if (ends.length === 0) return 'hangs'
  const results = ends.map(({ state, hasOutput }) => {
    if (state === 'succeeded' && hasOutput) return 'kept'
    return state === 'unknown' ? 'unknown' : 'failed'
  })
  return [...new Set(results)].join(' and ')
}
