import { freePlace } from './places.ts'
import type { Outcome } from './run-types.ts'
import { asJson, type RunsContext } from './runs-context.ts'

/** Stores how an attempt ended. The first outcome stays. */
export async function storeOutcome(id: string, outcome: Outcome, context: RunsContext): Promise<void> {
  const { engine, queues, metric } = context
  await engine.add(queues.outcomes, id, { data: asJson(outcome) })
  await freePlace(id, context)
  metric(outcome.state, { id, jobId: 'jobId' in outcome ? outcome.jobId : undefined })
}
