import { stat } from 'node:fs/promises'
import { isRecord, memberOf, showValue, stringIn, tryParseJson } from '@modelrun/kit'
import type { InputIssue, InputProperty } from 'modelrun'
import { findInputIssues } from 'modelrun/models'
import { messageOf, UsageError } from '../errors.ts'
import { readText, sourceName, type TextSource } from '../files/read-text.ts'
import { type InputRules, isUrlParameter, namedFlag, type Parameter } from './parameters.ts'
import type { RunArguments } from './run-arguments.ts'

/** An input of a run. It has no prototype: a parameter may have any name. */
export type RunInput = Record<string, unknown>

/**
 * Makes the input of a run of a JSON document and of flags, which win, and checks it against the model.
 *
 * @throws UsageError with everything that is wrong
 */
export async function buildInput({ schema, parameters, given, options, readsStdin }: RunArguments): Promise<RunInput> {
  const source = readsStdin ? '-' : options.input
  const input: RunInput = Object.create(null)
  if (source !== undefined) Object.assign(input, await readInput({ path: source, option: '--input' }))
  for (const parameter of parameters) {
    const { name } = parameter
    const texts = given.get(name)
    const value = texts === undefined ? input[name] : readValues(parameter, texts)
    if (value !== undefined) input[name] = await withFiles(value, parameter, texts && ((path) => path))
  }
  const problems = inputProblems({ schema, parameters }, input)
  const [first, ...more] = problems
  if (first !== undefined)
    throw new UsageError(
      first,
      [...more, 'Nothing was sent.'].map((line) => `  ${line}`),
    )
  return input
}

async function readInput(source: TextSource): Promise<object> {
  const name = sourceName(source)
  const text = await readText(source)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const problem = text.trim() === '' ? 'empty' : `not JSON: ${messageOf(error)}`
    throw new UsageError(`${name} is ${problem}. ${NEEDED}`)
  }
  if (isRecord(value)) return value
  throw new UsageError(`${name} must be a JSON object, not ${showValue(value)}. ${NEEDED}`)
}

const NEEDED = 'It has the parameters as a JSON object, such as {"prompt":"a red fox"}.'

/** Whether this is not a url. A scheme has two letters at least: `C:\photo.png` is a file, and so is what `file:` names. */
function isFileName(value: unknown): value is string {
  return typeof value === 'string' && !/^(?!file:)[a-z][a-z0-9+.-]+:/i.test(value)
}

/** What names files in an input of an agent: the service cannot read them. */
export function fileProblems({ properties }: InputRules['schema'], input: RunInput): string[] {
  const named = Object.entries(properties).filter(([name, property]) => {
    return isUrlParameter({ name, property }) && [input[name]].flat().some(isFileName)
  })
  return named.map(([name]) => `${name}: must be a url, as in \`urls\` of a run.`)
}

/**
 * A value whose files of this machine are data URIs. Everything else is as it is.
 *
 * @param findFile the path of a file by the name in the value; without it, what may come from others names no files
 * @throws UsageError for what is neither a url nor a file
 */
export async function withFiles(
  value: unknown,
  parameter: Omit<Parameter, 'types'>,
  findFile: ((name: string) => string) | undefined,
): Promise<unknown> {
  if (!isUrlParameter(parameter)) return value
  if (Array.isArray(value)) return Promise.all(value.map((one) => withFiles(one, parameter, findFile)))
  if (!isFileName(value)) return value
  const problem = `${namedFlag(parameter)}: ${value} is not a url`
  if (findFile === undefined) throw new UsageError(`${problem}. Files are named by flags, or in the folder of --files.`)
  const path = findFile(value)
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) throw new UsageError(`${problem}, and there is no such file.`)
  const { toDataUri } = await import('modelrun')
  return toDataUri(path)
}

/**
 * Everything in an input that the client would reject, by the flags of the command line. The client checks again; here the price
 * is not yet asked for.
 */
export function inputProblems({ schema, parameters }: InputRules, input: RunInput): string[] {
  const inexact = Object.keys(input).filter((name) => isInexact(input[name]))
  const issues = findInputIssues(schema, input).map((issue) => ({ name: parameterName(issue), message: issue.message }))
  // The bounds would be compared with a number that was not given.
  const others = issues.filter(({ name }) => !inexact.includes(name))
  return [...others, ...inexact.map((name) => ({ name, message: INEXACT }))].map(({ name, message }) => {
    const parameter = parameters.find((one) => one.name === name)
    // A question has its mark already.
    const sentence = message.endsWith('?') ? message : `${message}.`
    return `${parameter === undefined ? name : namedFlag(parameter)}: ${sentence}`
  })
}

export const INEXACT = `must have no whole number above ${Number.MAX_SAFE_INTEGER}: JSON would change it`

/** Whether a value has a number that changed when it was read, or is not a number in JSON. */
export function isInexact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isInexact)
}

/** The parameter that an issue is about: the pointer is a JSON pointer (RFC 6901) with one name. */
function parameterName({ pointer }: InputIssue): string {
  return pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The value of a parameter, by all texts that were given for it. An array takes several. @throws UsageError */
export function readValues({ property, types, ...parameter }: Parameter, texts: readonly string[]): unknown {
  const [first = '', second] = texts
  const isAllowed = second === undefined && allowedReadings(property.enum, first).some((value) => fits(property, value))
  const problem = isAllowed ? undefined : localProblem([...types, itemType(property)], texts)
  if (problem !== undefined) throw new UsageError(`${parameter.name}: ${problem}.`)
  if (types.includes('array') && !isAllowed) return texts.flatMap((text) => readItems(property, text))
  if (second !== undefined)
    throw new UsageError(`${namedFlag(parameter)} is given ${texts.length} times. Give it once.`)
  return readValue(property, first)
}

/** `1.000` is a thousand or one, by the language of the spreadsheet. */
const GROUPED = /^\s*[+-]?\d{1,3}([.,]\d{3})+\s*$/
const DECIMAL_COMMA = /^\s*[+-]?\d+,\d+\s*$/
const BOOLEAN = /^\s*(true|false)\s*$/i

/** What is wrong with values that a spreadsheet has written in its language. */
function localProblem(types: readonly string[], texts: readonly string[]): string | undefined {
  const grouped = types.includes('integer') && texts.find((text) => GROUPED.test(text))
  if (grouped) return `${grouped} may be thousands or decimals. Write a whole number as digits`
  const decimal = types.includes('number') && texts.find((text) => DECIMAL_COMMA.test(text))
  if (decimal) return `${decimal} has a comma. Write decimals with a point`
  const other = types[0] === 'boolean' && texts.find((text) => !BOOLEAN.test(text))
  return other ? `${other} is not a boolean. Write true or false` : undefined
}

function readItems(property: InputProperty, text: string): unknown[] {
  const list = tryParseJson(text)
  return Array.isArray(list) ? list : [readValue({ type: itemType(property) }, text)]
}

/** Section 2.3 does not name `items`; JSON Schema does. */
function itemType(property: InputProperty): string {
  return stringIn(memberOf(property, 'items'), 'type') ?? 'string'
}

/** The first reading of a text that the model takes, else one of the right type; else the text, which is rejected later. */
function readValue(property: InputProperty, text: string): unknown {
  const json = jsonReading(text)
  // The number 7 is not the text 007.
  const others = /^\s*[+-]?0\d/.test(text) ? [text, ...json] : [...json, text]
  const readings = [...allowedReadings(property.enum, text), ...others]
  const fitting = [property, { type: property.type }].flatMap((rules) => readings.filter((value) => fits(rules, value)))
  return fitting.length > 0 ? fitting[0] : text
}

function allowedReadings(allowed: readonly unknown[] | undefined, text: string): unknown[] {
  return (allowed ?? []).filter((value) => String(value) === text)
}

/** A number, or other JSON; spreadsheets write `TRUE`. A text in quotes is a text with quotes. */
function jsonReading(text: string): unknown[] {
  if (/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text)) return [Number(text)]
  const value = tryParseJson(BOOLEAN.test(text) ? text.toLowerCase() : text)
  return value === undefined || typeof value === 'string' ? [] : [value]
}

function fits(property: InputProperty, value: unknown): boolean {
  return findInputIssues({ type: 'object', properties: { value: property }, required: [] }, { value }).length === 0
}
