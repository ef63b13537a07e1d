import { defineScenario } from '../check.ts'
import { isSuspicious, type RunCall, worldOf } from '../judges/world.ts'
import type { ModelTarget, Targets } from '../plan/targets.ts'
import { startRunOf } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { endsOfJobs } from './ends.ts'
import { awaitDeliveries, successWebhook } from './webhooks.ts'

/** Runs that make a suspicion certain: duplicates may come at random. */
const CONFIRMATIONS = 3

/**
 * Where a rejected delivery came more often than any accepted one: more runs like that one. The plan pays for them; most
 * services give no reason.
 */
export const confirmedRetries = defineScenario(
  'confirmed-retries',
  {
    runs: { main: 0 },
    costOf: (targets) => CONFIRMATIONS * Math.max(...all(targets).map(({ creditsPerRun }) => creditsPerRun)),
    receiver: true,
    uses: [successWebhook],
    mayUse: [endsOfJobs],
  },
  async (session) => {
    const world = worldOf(session)
    const run = world.sentRuns.find((one) => isSuspicious(one, world))
    const target = all(session.targets).find(({ modelId }) => modelId === run?.id)
    if (run !== undefined && target !== undefined) await repeat(session, run, target)
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

function all({ main, slow, failing, others = [] }: Targets): ModelTarget[] {
  return [main, slow, failing, ...others].filter((target) => target !== undefined)
}
