import { LIMITS, MODEL_CATEGORIES } from '@modelrun/contract'
import { ASSUMPTION_NOTES } from '../assumption-notes.ts'
import type { Assumptions } from '../assumptions.ts'
import type { HintScene } from './hint-scene.ts'

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

const BY_CODE: Readonly<Record<string, string>> = {
  INSUFFICIENT_CREDITS: 'insufficientCredits',
  PAYLOAD_TOO_LARGE: 'largestBody',
  UNSUPPORTED_MEDIA_TYPE: 'otherContentType',
  METHOD_NOT_ALLOWED: 'wrongMethod',
}

/** Which assumptions made the answer what it is: the specification would allow another. */
export function assumptionHints(scene: HintScene): string[] {
  if (scene.trace.route === 'control') return []
  return [...(scene.trace.assumptions ?? []), ...namesFor(scene)].map((name) =>
    sentenceFor(name, scene.service.options.assumptions),
  )
}

function namesFor(scene: HintScene): string[] {
  const { code, status, trace } = scene
  const { route, jobStatus } = trace
  const isFailedRun = route === 'runModel' && jobStatus === 'failed'
  if (code !== undefined && !isFailedRun) return refusalNames(scene, code)
  if (route === 'runModel') return runNames(scene)
  if (route === 'cancelJob') return status < 300 ? ['cancelAnswer'] : []
  return route === 'listModels' ? listNames(scene) : []
}

function refusalNames({ trace }: HintScene, code: string): string[] {
  const name = BY_CODE[code]
  if (name !== undefined) return [name]
  if (code === 'NOT_FOUND') return [trace.isForeignJob ? 'otherAccountsJob' : 'unknownResource']
  if (code === 'CONFLICT') return [trace.route === 'cancelJob' ? 'cancelOfFinishedJob' : 'cancelledSyncRunStatus']
  if (code === 'FORBIDDEN') return forbiddenNames(trace)
  if (code !== 'VALIDATION_ERROR') return []
  if (trace.refusedFor === 'webhook') return []
  return [trace.refusedFor === 'input' ? 'invalidInputStatus' : 'malformedRequest']
}

/** Authentication refuses an address before it says whose key it is. */
function forbiddenNames({ apiKey, route }: HintScene['trace']): string[] {
  if (apiKey === undefined) return ['addressOutsideAllowlist']
  return route === 'runModel' && apiKey.permissions.includes('models:run') ? ['runNeedsJobsWrite'] : []
}

function runNames({ trace: { job, jobStatus } }: HintScene): string[] {
  if (jobStatus === 'queued')
    return job?.webhook === undefined ? ['asyncRunStatus'] : ['asyncRunStatus', 'asyncRunWithWebhook']
  if (jobStatus === 'failed') return ['failedSyncRunStatus']
  return jobStatus === 'cancelled' ? ['cancelledSyncRunStatus'] : []
}

function listNames({ request }: HintScene): string[] {
  const query = new URL(request.url).searchParams
  const category = query.get('category')
  return [
    ...(category !== null && !KNOWN_CATEGORIES.includes(category) ? ['unknownCategory'] : []),
    ...(Number(query.get('limit')) > LIMITS.modelsPageMax ? ['limitAboveMaximum'] : []),
  ]
}

function sentenceFor(name: string, assumptions: Assumptions): string {
  const note = ASSUMPTION_NOTES.find((one) => one.name === name)
  const choice = note?.switch === undefined ? note?.choice : JSON.stringify(assumptions[note.switch])
  return `Section ${note?.section} leaves this open; assumption ${name}: ${choice}.`
}
