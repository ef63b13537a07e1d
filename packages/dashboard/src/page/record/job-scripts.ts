import type { DeliveryPlan, Recorded } from './record.ts'

/**
 * What was done to a job and its deliveries, as the outcome that a script would give its run: a test says it before the
 * run.
 */
export function jobScripts(actions: readonly Recorded[]): ReadonlyMap<string, object> {
  const scripts = new Map<string, Script>()
  for (const action of actions) {
    const jobId = 'jobId' in action ? action.jobId : undefined
    if (jobId === undefined) continue
    const script = scripts.get(jobId) ?? {}
    const changed = changedBy(action, script)
    if (changed !== undefined) scripts.set(jobId, changed)
  }
  return new Map([...scripts].map(([jobId, { result = 'succeeded', webhook }]) => [jobId, { result, webhook }]))
}

interface Script {
  result?: 'hang'
  webhook?: DeliveryPlan
}

function changedBy(action: Recorded, script: Script): Script | undefined {
  switch (action.kind) {
    case 'hang':
      return { ...script, result: 'hang' }
    case 'jobWebhook':
      return { ...script, webhook: action.plan }
    case 'again':
      return { ...script, webhook: { ...script.webhook, deliveries: (script.webhook?.deliveries ?? 1) + 1 } }
    case 'drop':
      return { ...script, webhook: { ...script.webhook, deliveries: 0 } }
    default:
      return undefined
  }
}
