import type { Session } from '../session/session.ts'
import { isProviderFailure, jobOf, type RunCall, type World } from './world.ts'

/** What to choose otherwise next time, a sentence for each. */
export function adviceOf(world: World): string[] {
  const { targets } = world.session
  const ofModels = (['main', 'slow'] as const).flatMap((kind) => {
    const modelId = targets[kind]?.modelId
    const outcomes = world.runs.filter(({ id }) => id === modelId).map((run) => outcomeOf(run, world))
    const failed = outcomes.filter((outcome) => outcome === 'failed').length
    if (failed === 0 || outcomes.includes('succeeded')) return []
    const runs = failed === 1 ? 'The run' : `All ${failed} runs`
    return [`${runs} of ${modelId} failed at the provider, so little could be judged: choose another ${kind} model.`]
  })
  return [...ofModels, ...adviceOfReads(world.session)]
}

function outcomeOf(run: RunCall, world: World): unknown {
  const { outcome } = jobOf(run, world) ?? {}
  if (outcome !== undefined) return outcome
  if (isProviderFailure(run.response.json)) return 'failed'
  return run.says === 'completed' ? 'succeeded' : undefined
}

/** What was returned in the end must not hide that it failed before. */
function adviceOfReads({ parts: { recovered } }: Session): string[] {
  const places = [...new Set(recovered.map(({ path, response }) => `${response.status} to GET ${path}`))]
  if (places.length === 0) return []
  const count = recovered.length === 1 ? 'A read failed and was' : `${recovered.length} reads failed and were`
  return [`${count} returned when sent again (${places.slice(0, 3).join(', ')}): a client must do the same.`]
}
