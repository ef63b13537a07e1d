import { LIMITS, type Model } from '@modelrun/contract'
import { hasMethod, isArrayBuffer, isBlob, isPlainData, kindOf, readArguments, showValue } from '../arguments/checks.ts'
import type { Core } from '../core.ts'
import { isNotFoundError } from '../errors/api-errors.ts'
import {
  BudgetExceededError,
  ConfigurationError,
  type InputIssue,
  InputValidationError,
} from '../errors/local-errors.ts'
import type { CallContext } from '../http/operation.ts'
import { jsonPointer } from '../http/read-response.ts'
import { listModelsOperation } from '../models/model-operations.ts'
import { closestName } from './closest-name.ts'
import { findInputIssues } from './input-issues.ts'
import type { PreflightOptions } from './run-options.ts'

/**
 * The parameters of a run. Returns a copy, because the type of an input may be an interface, which has no index signature.
 *
 * @throws ConfigurationError, InputValidationError
 */
export function checkInput(input: unknown): Record<string, unknown> {
  return readArguments('client.run', () => {
    if (typeof input === 'object') checkSendable(input)
    if (isPlainData(input)) return { ...input }
    throw new ConfigurationError({
      message: `The input of a run must be an object of parameters, like { prompt: 'a red fox' }, not ${showValue(input)}. Nothing was sent.`,
    })
  })
}

/** A value of an input and its path. */
interface Place {
  value: unknown
  key: string
  parent: Place | undefined
}

/** Largest number of issues in one message. */
const MAX_ISSUES = 5

/**
 * Finds what JSON would drop or empty silently: files, bytes, promises, functions. Each object is checked once, so an input
 * may contain itself or be of any depth.
 *
 * @throws InputValidationError
 */
export function checkSendable(input: unknown): void {
  const issues: InputIssue[] = []
  const seen = new Set<unknown>()
  const places: Place[] = [{ value: input, key: '', parent: undefined }]
  for (const place of places) {
    const message = problemOf(place.value)
    if (message !== undefined) issues.push({ pointer: pointerOf(place), message })
    else if (isWalked(place.value) && !seen.has(place.value)) {
      seen.add(place.value)
      addMembers(places, place, place.value)
    }
    if (issues.length === MAX_ISSUES) break
  }
  if (issues.length === 0) return
  const list = issues.map(({ pointer, message }) => `${pointer || 'The input'} ${message}`).join(' ')
  throw new InputValidationError({ message: `The input cannot be sent as JSON. ${list} Nothing was sent.`, issues })
}

function addMembers(places: Place[], parent: Place, container: object): void {
  const add = (value: unknown, key: string | number) => {
    if (typeof value === 'object' ? value !== null : typeof value === 'function' || typeof value === 'symbol') {
      places.push({ value, key: String(key), parent })
    }
  }
  if (Array.isArray(container)) container.forEach(add)
  else for (const [key, value] of Object.entries(container)) add(value, key)
}

/** An object with `toJSON`, such as a Date or a URL, is left to JSON. */
function isWalked(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !hasMethod(value, 'toJSON')
}

function problemOf(value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return `is a ${typeof value}, which JSON leaves out.`
  if (typeof value !== 'object' || value === null) return undefined
  const kind = kindOf(value)
  if (ArrayBuffer.isView(value) || isArrayBuffer(value) || isBlob(value)) {
    return `is a file (${kind}). Files go as text: pass \`await toDataUri(image)\` (from 'modelrun'), or the file's URL.`
  }
  if (hasMethod(value, 'then')) return `is a ${kind}: await it.`
  if (kind === 'Response' || kind === 'ReadableStream' || hasMethod(value, 'pipe')) {
    return 'is a stream: read it, and pass `await toDataUri(blob)`.'
  }
  return isEmptied(value, kind) ? `is a ${kind}, which JSON empties.` : undefined
}

/** True for a Map, a FormData or an element of a page: JSON sees none of their contents. */
function isEmptied(value: object, kind: string): boolean {
  const isJson = ['Object', 'Array', 'String', 'Number', 'Boolean'].includes(kind) || hasMethod(value, 'toJSON')
  return !isJson && Object.keys(value).length === 0
}

function pointerOf(place: Place): string {
  const path: string[] = []
  for (let at: Place = place; at.parent !== undefined; at = at.parent) path.push(at.key)
  return jsonPointer(path.reverse())
}

/** A run before it is sent. */
export interface PlannedRun {
  model: string
  input: Record<string, unknown>
}

/**
 * Checks a run against the model's price and input schema, when the options ask for it. Sends nothing otherwise.
 *
 * @throws BudgetExceededError, InputValidationError, and what reading the model throws
 */
export async function preflight(
  core: Core,
  run: PlannedRun,
  context: CallContext & { options: PreflightOptions },
): Promise<void> {
  const { maxCredits, validateInput } = context.options
  if (maxCredits === undefined && !validateInput) return
  const model = await readModel(core, run.model, context)
  if (maxCredits !== undefined) checkBudget(model, maxCredits)
  if (validateInput) checkAgainstSchema(model, run.input)
}

function checkBudget(model: Model, maxCredits: number): void {
  const creditsPerRun = model.pricing.credits_per_run
  if (creditsPerRun <= maxCredits) return
  throw new BudgetExceededError({
    message: `A run of ${model.id} costs ${creditsPerRun} credits, more than maxCredits (${maxCredits}). It was not sent.`,
    creditsPerRun,
    maxCredits,
  })
}

function checkAgainstSchema(model: Model, input: Record<string, unknown>): void {
  const issues = findInputIssues(model.input_schema, input)
  if (issues.length === 0) return
  const list = issues.map(({ pointer, message }) => `${pointer || 'input'}: ${message}`).join('; ')
  const end = list.endsWith('?') ? '' : '.'
  throw new InputValidationError({
    message: `The input does not fit ${model.id}. ${list}${end} It was not sent.`,
    issues,
  })
}

async function readModel(core: Core, id: string, context: CallContext): Promise<Model> {
  try {
    return await core.modelCache.read(id, context)
  } catch (error) {
    if (!isNotFoundError(error)) throw error
    const closest = closestName(id, await listModelIds(core, context))
    if (closest === undefined) throw error
    const message = `the model ${id} does not exist; did you mean ${closest}?`
    throw new InputValidationError({
      message: `The run was not sent: ${message}`,
      issues: [{ pointer: '', message }],
    })
  }
}

/** The ids of the models, for a suggestion. Empty when they cannot be read: the first error matters more. */
async function listModelIds(core: Core, context: CallContext): Promise<string[]> {
  try {
    const { data } = await core.transport.call(listModelsOperation({ limit: LIMITS.modelsPageMax }), context)
    return data.models.map((model) => model.id)
  } catch (error) {
    if (context.scope.signal.aborted) throw error
    return []
  }
}
