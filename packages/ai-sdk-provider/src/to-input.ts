import type { JSONObject, SharedV4Warning } from '@ai-sdk/provider'
import type { InputProperty, Model } from 'modelrun'
import { findInputIssues } from 'modelrun/models'
import { reject } from './errors.ts'
import { COUNT_PARAMETERS, ESSENTIAL_SETTINGS, SETTING_RULES } from './settings.ts'

type Input = Record<string, unknown>

/**
 * Makes the inputs of the runs by the schema of the model (section 2.3). A setting is applied, warned about, or rejected where
 * the run would not be what was asked for.
 *
 * @param count how many files are wanted: those that one run cannot make take further runs
 * @param parameters of `providerOptions`, which go before settings
 * @throws InvalidArgumentError: nothing was sent
 */
export async function toInputs(
  model: Model,
  settings: Readonly<Input>,
  { parameters, count }: { parameters: JSONObject; count: number },
): Promise<{ inputs: Input[]; warnings: SharedV4Warning[] }> {
  const input: Input = { ...parameters }
  const warnings: SharedV4Warning[] = []
  for (const [name, value] of Object.entries(settings)) {
    // Models without a prompt are called with an empty one.
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue
    const problem = await applySetting(name, value, { model, input, warnings })
    if (problem === undefined) continue
    if (ESSENTIAL_SETTINGS.includes(name)) reject(name, problem)
    warnings.push({ type: 'unsupported', feature: name, details: problem })
  }
  const inputs = inputsOfRuns(model, input, count)
  for (const one of inputs) checkAgainstSchema(model, one)
  return { inputs, warnings }
}

/** Puts a setting into the input. Returns why it could not. */
async function applySetting(
  setting: string,
  value: unknown,
  { model, input, warnings }: { model: Model; input: Input; warnings: SharedV4Warning[] },
): Promise<string | undefined> {
  const { properties } = model.input_schema
  // A later version of the AI SDK may have further settings.
  const rules = Object.entries(SETTING_RULES[setting] ?? {}).filter(([name]) => Object.hasOwn(properties, name))
  for (const [name, fitTo] of rules) {
    if (Object.hasOwn(input, name)) {
      if (input[name] === value) return undefined
      return `the parameter ${name} is already ${show(input[name])}.`
    }
    const fitted = await Promise.resolve(fitTo(value, properties[name] ?? {})).catch((error: unknown) =>
      // A file can be too large, or not what its type says.
      reject(setting, error instanceof Error ? error.message : String(error), error),
    )
    if (fitted === undefined) continue
    input[name] = fitted.value
    if (fitted.note) warnings.push({ type: 'compatibility', feature: setting, details: fitted.note })
    return undefined
  }
  if (rules.length === 0) return `${model.id} has no parameter for it. It takes: ${Object.keys(properties).join(', ')}.`
  const taken = rules.map(([name]) => `${name} (${describe(properties[name])})`).join(', ')
  return `${show(value)} does not fit ${taken} of ${model.id}.`
}

/** An input for each run that the wanted files take. */
function inputsOfRuns({ id, input_schema: { properties } }: Model, input: Input, count: number): Input[] {
  const name = COUNT_PARAMETERS.find((one) => Object.hasOwn(properties, one))
  if (name === undefined) return Array.from({ length: count }, () => input)
  if (Object.hasOwn(input, name)) {
    if (count > 1) reject('n', `the parameter ${name} of ${id} is already ${show(input[name])}.`)
    return [input]
  }
  const most = Math.max(1, properties[name]?.maximum ?? count)
  const runs = Math.ceil(count / most)
  return Array.from({ length: runs }, (_, run) => ({ ...input, [name]: Math.min(most, count - run * most) }))
}

function checkAgainstSchema({ id, input_schema }: Model, input: Input): void {
  const issues = findInputIssues(input_schema, input)
  const [first] = issues
  if (first === undefined) return
  const problems = issues.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}.`).join(' ')
  reject(first.pointer.slice(1), `${problems} That is the input of ${id}.`)
}

function describe({ type, enum: allowed, minimum, maximum }: InputProperty = {}): string {
  if (allowed !== undefined) return allowed.join(', ')
  const bounds = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`]
  return [type, ...bounds].filter(Boolean).join(' ')
}

/** Files are large: their number is enough. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'a file' : JSON.stringify(value).slice(0, 100)
}
