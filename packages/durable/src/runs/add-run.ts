import { isRecord } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { checkInput } from 'modelrun/models'
import { checkKey } from './attempts.ts'
import { retryForBudget } from './retry-runs.ts'
import type { SubmitData } from './run-types.ts'
import { asJson, fromJson, type RunsContext } from './runs-context.ts'

/** A run of this key that was rejected for a lower `maxCredits` runs again. Returns what the key stands for. */
async function addRun(key: string, given: SubmitData, context: RunsContext): Promise<SubmitData> {
  const { engine, queues } = context
  checkKey(key)
  await engine.add(queues.submit, key, { data: asJson(given) })
  const stored = await engine.get(queues.submit, key)
  if (stored === undefined) return given
  if (stored.state === 'done') await retryForBudget(key, context)
  return fromJson<SubmitData>(stored.data)
}

/** Adds a run; one whose key has no other model or input. @throws ConfigurationError */
export async function addCheckedRun(key: string, given: SubmitData, context: RunsContext): Promise<void> {
  checkRun(key, given)
  const wanted = checkInput(given.input)
  const { model, input } = await addRun(key, { model: given.model, input: wanted }, context)
  if (model === given.model && isSame(input, wanted)) return
  const message = `The key ${key} is that of another run in this batch, with another model or input. Nothing was sent.`
  throw new ConfigurationError({ message })
}

function checkRun(key: unknown, { model, input }: SubmitData): void {
  const isModel = typeof model === 'string' && model !== ''
  if (isModel && isRecord(input)) return
  const hint = typeof model === 'object' || key === undefined ? ' Its key is missing.' : ''
  const message = `A run takes a key, a model and an input, as in runs.add('poster-1', 'aurora-image', { prompt: 'a fox' }). It got ${[key, model, input].map(kindOf).join(', ')}.${hint}`
  throw new ConfigurationError({ message })
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}

/** Compares two values of JSON. The order of members does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const [members, others] = [Object.entries(one), new Map(Object.entries(other))]
  if (Array.isArray(one) !== Array.isArray(other) || members.length !== others.size) return false
  return members.every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
}
