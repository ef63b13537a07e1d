import { defineScenario } from '../check.ts'
import { isSuspicious, type RunCall, worldOf } from '../judges/world.ts'
import { type ModelTarget, targetsOf } from '../plan/targets.ts'
import { startRunOf } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { endsOfJobs } from './ends.ts'
import { awaitDeliveries, successWebhook } from './webhooks.ts'

/** Runs that make a suspicion certain: duplicates may come at random. */
const CONFIRMATIONS = 3

/**
 * Where a rejected delivery came more often than any accepted one: more runs like that one, of the cheapest model. They are paid
 * from what is left; most services give no reason.
 */
export const confirmedRetries = defineScenario(
  'confirmed-retries',
  {
    runs: { main: 0 },
    receiver: true,
    uses: [successWebhook],
    mayUse: [endsOfJobs],
  },
  async (session) => {
    const world = worldOf(session)
    const suspicious = world.sentRuns.flatMap((run) => {
      const target = targetsOf(session.targets).find(({ modelId }) => modelId === run.id)
      return target !== undefined && isSuspicious(run, world) ? [{ run, target }] : []
    })
    const [cheapest] = suspicious.toSorted((one, other) => one.target.creditsPerRun - other.target.creditsPerRun)
    if (cheapest !== undefined) await repeat(session, cheapest.run, cheapest.target)
  },
)

async function repeat(session: Session, { sync, key, endpoint }: RunCall, target: ModelTarget): Promise<void> {
  const opened = Array.from({ length: CONFIRMATIONS }, () =>
    session.webhookEndpoints.open(endpoint?.behavior ?? 'reject'),
  )
  for (const { url } of opened)
    await startRunOf(session, target, { sync, webhook_url: url, key: key.name && session.options.keys[key.name] })
  await awaitDeliveries(session, opened)
}
