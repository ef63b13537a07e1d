import { LIMITS, MODEL_CATEGORIES } from '@modelrun/contract'
import { ASSUMPTION_NOTES } from '../assumptions/assumption-notes.ts'
import type { HintScene } from './hint-scene.ts'

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

const BY_CODE: Readonly<Record<string, string>> = {
  PAYLOAD_TOO_LARGE: 'largestBody',
  METHOD_NOT_ALLOWED: 'wrongMethod',
}

/** Which assumptions made the answer what it is: the specification would allow another. */
export function assumptionHints(scene: HintScene): string[] {
  if (scene.trace.route === 'control') return []
  const names = [...(scene.trace.assumptions ?? []), ...namesFor(scene)]
  return names.map((name) => sentenceFor(name, scene))
}

function namesFor(scene: HintScene): string[] {
  const { code, status, trace } = scene
  const { route, jobStatus } = trace
  const isFailedRun = route === 'runModel' && jobStatus === 'failed'
  if (code !== undefined && !isFailedRun) return refusalNames(scene, code)
  if (route === 'runModel') return runNames(scene)
  if (route === 'cancelJob') return status < 300 ? ['cancelStatus'] : []
  return route === 'listModels' ? listNames(scene) : []
}

function refusalNames({ trace }: HintScene, code: string): string[] {
  if (trace.isForeignJob) return ['otherAccountsJob']
  if (trace.refusedFor === 'webhook') return []
  const note = ASSUMPTION_NOTES.find(
    ({ rejections }) => trace.refusal !== undefined && rejections?.includes(trace.refusal),
  )
  if (note !== undefined) return [note.name]
  const name = BY_CODE[code]
  if (name !== undefined) return [name]
  if (code === 'NOT_FOUND') return ['unknownResource']
  if (code === 'CONFLICT') return ['cancelledSyncRunStatus']
  if (code === 'FORBIDDEN') return forbiddenNames(trace)
  return code === 'VALIDATION_ERROR' ? ['malformedRequest'] : []
}

function forbiddenNames({ apiKey, route, assumptions }: HintScene['trace']): string[] {
  // The handler has said which one.
  if (apiKey === undefined || assumptions !== undefined) return []
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

function sentenceFor(name: string, { service, trace }: HintScene): string {
  const { assumptions } = service.options
  const note = ASSUMPTION_NOTES.find((one) => one.name === name)
  const setting =
    trace.refusal !== undefined && note?.rejections?.includes(trace.refusal)
      ? assumptions.rejections[trace.refusal]
      : note?.switch && assumptions[note.switch]
  const choice = setting === undefined ? note?.choice : settingText(setting)
  return `Section ${note?.section} leaves this open; assumption ${name}: ${choice}.`
}

function settingText(setting: unknown): string {
  if (typeof setting !== 'object' || setting === null || !('code' in setting) || !('status' in setting)) {
    return JSON.stringify(setting)
  }
  return `${setting.status} ${setting.code}`
}
