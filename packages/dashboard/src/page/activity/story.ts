import { canStep } from '../data/clock.ts'
import { post } from '../data/control.ts'
import { ofKey } from '../data/keys.ts'
import { models } from '../data/store.ts'
import { startValues } from '../models/input-form.tsx'
import { runModel } from '../models/run.ts'

/** The model works for so long, in milliseconds. */
const WORK_MS = 2_500

/**
 * A run whose response is lost after the service has accepted it, and a webhook that brings the result all the same. Opens
 * the diagram of its job.
 */
export async function playLostResponse(): Promise<void> {
  const [model] = models.value
  if (model === undefined) return
  await post('faults', { kind: 'reset', when: 'after', route: 'runModel', times: 1, ...ofKey() })
  await post('scripts', { model: model.id, outcomes: [{ result: 'succeeded', after_ms: WORK_MS }], ...ofKey() })
  await runModel(model.id, { values: startValues(model), mode: 'webhook', webhookUrl: '' })
  if (canStep.value) await post('clock', { advance_ms: WORK_MS })
}
