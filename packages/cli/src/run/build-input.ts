import { stat } from 'node:fs/promises'
import { UsageError } from '../errors/usage-error.ts'
import { readText, sourceName, type TextSource } from '../files/read-text.ts'
import { inputProblems, type RunInput } from './check-input.ts'
import { isUrlParameter, namedFlag, type Parameter } from './parameter.ts'
import { parseValues } from './parse-values.ts'
import type { RunArguments } from './read-run-arguments.ts'

/**
 * Makes the input of a run of a JSON document and of flags, which win, and checks it against the model.
 *
 * @throws UsageError with everything that is wrong
 */
export async function buildInput({ schema, parameters, given, options, readsStdin }: RunArguments): Promise<RunInput> {
  const source = readsStdin ? '-' : options.input
  const input = source === undefined ? emptyInput() : await readInput({ path: source, option: '--input' })
  for (const [name, texts] of [...given, ...paramPairs(options.param ?? [])]) {
    const parameter = parameters.find((one) => one.name === name)
    setMember(input, name, parameter === undefined ? texts[0] : await parameterValue(parameter, texts))
  }
  const problems = inputProblems({ schema, parameters }, input)
  if (problems.length > 0) throw new UsageError(`${problems.join('\n  ')}\n  Nothing was sent.`)
  return input
}

function emptyInput(): RunInput {
  return Object.create(null)
}

/** Also for names such as `__proto__`. */
function setMember(input: RunInput, name: string, value: unknown): void {
  Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true })
}

async function readInput(source: TextSource): Promise<RunInput> {
  const name = sourceName(source)
  const value = tryParse(await readText(source), name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${name} must be a JSON object with the parameters, such as {"prompt":"a red fox"}.`)
  }
  const input = emptyInput()
  for (const [member, content] of Object.entries(value)) setMember(input, member, content)
  return input
}

function tryParse(json: string, name: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    if (json.trim() === '') throw new UsageError(`${name} is empty. It must be a JSON object with the parameters.`)
    throw new UsageError(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function paramPairs(pairs: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const pair of pairs) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError(`--param ${pair} must be a name and a value, such as --param seed=1.`)
    }
    found.set(name, [...(found.get(name) ?? []), value])
  }
  return found
}

async function parameterValue(parameter: Parameter, texts: readonly string[]): Promise<unknown> {
  const value = parseValues(parameter, texts)
  if (!isUrlParameter(parameter)) return value
  return Array.isArray(value) ? Promise.all(value.map((one) => urlOf(one, parameter))) : urlOf(value, parameter)
}

/** A scheme has two letters at least: `C:\photo.png` is a file. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i

/** A file of this machine as a data URI, and a URL as it is. @throws UsageError */
export async function urlOf(value: unknown, parameter: Pick<Parameter, 'flag' | 'name'>): Promise<unknown> {
  if (typeof value !== 'string' || SCHEME.test(value)) return value
  const isFile = await stat(value).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) throw new UsageError(`${namedFlag(parameter)}: ${value} is not a url, and there is no such file.`)
  const { toDataUri } = await import('modelrun')
  return toDataUri(value)
}
