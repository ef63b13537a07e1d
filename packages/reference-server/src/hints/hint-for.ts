import { closestName, isRecord, tryParseJson } from '@modelrun/kit'
import { assumptionHints } from './assumption-hints.ts'
import { corsHints, type HintContext, jobHints, keyHints, pathHints, queryHints } from './request-hints.ts'

/** The header for what the body cannot say: the specification defines the body. */
export const HINT_HEADER = 'x-modelrun-hint'

const MAX_LENGTH = 1_000

const SOURCES: readonly ((context: HintContext) => readonly string[])[] = [
  corsHints,
  keyHints,
  pathHints,
  queryHints,
  bodyHints,
  jobHints,
  assumptionHints,
]

/** Help with a response: what was probably meant, which assumption is behind it. `undefined` when there is none. */
export function hintFor(context: HintContext): string | undefined {
  const { hints = [] } = context.trace
  const sentences = [...hints, ...SOURCES.flatMap((source) => source(context))]
  return sentences.length === 0 ? undefined : headerText(sentences.join(' '))
}

/** A header takes ASCII on one line. */
function headerText(text: string): string {
  return text
    .replace(/…/g, '...')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_LENGTH)
}

const MEMBERS = ['input', 'sync', 'webhook_url']

/** What other services call the members of a run. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  async: 'sync: false',
  wait: 'sync',
  webhook: 'webhook_url',
  callback_url: 'webhook_url',
  callback: 'webhook_url',
  inputs: 'input',
  params: 'input',
  parameters: 'input',
  arguments: 'input',
}

/** Which members of a run's body were probably meant. */
function bodyHints({ trace, status, service }: HintContext): string[] {
  const body = status === 400 || status === 422 ? readObject(trace.requestBody) : undefined
  if (trace.route !== 'runModel' || body === undefined) return []
  const parameters = Object.keys(service.models.get(trace.modelId ?? '')?.input_schema.properties ?? {})
  const outside = Object.keys(body).filter((name) => !MEMBERS.includes(name))
  return [...outside.flatMap((name) => memberHints(name, parameters)), ...inputHints(body.input, parameters)]
}

function memberHints(name: string, parameters: readonly string[]): string[] {
  const parameter = closestName(name, parameters)
  if (parameter !== undefined)
    return [`${parameter} is a parameter of the model: send {"input": {"${parameter}": ...}}.`]
  const field = OTHER_NAMES[name.toLowerCase()] ?? closestName(name, MEMBERS)
  return field === undefined ? [] : [`${name.slice(0, 60)}: did you mean ${field}?`]
}

function inputHints(input: unknown, parameters: readonly string[]): string[] {
  const unknown = Object.keys(asObject(input) ?? {}).filter((name) => !parameters.includes(name))
  const fields = unknown
    .filter((name) => MEMBERS.includes(name))
    .map((name) => `${name} stands beside input, not in it.`)
  const close = unknown.map((name) => closestName(name, parameters)).filter((name) => name !== undefined)
  return [...fields, ...close.map((name) => `Did you mean ${name}?`)]
}

/** `undefined` for a text that is not a JSON object, or was too long to be stored. */
function readObject(text = ''): Record<string, unknown> | undefined {
  return asObject(tryParseJson(text))
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined
}
