import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { cleanText, closestName, isRecord, memberOf, tryParseJson } from '@modelrun/kit'
import { INEXACT, isInexact } from '../run/input.ts'
import type { Properties } from './tools.ts'

const OF_HOSTS = ['_meta', 'toolCallId', 'sessionId', 'action', 'chatInput']

/**
 * The schema of a tool that also takes what some hosts send: an object as JSON text, numbers as text, texts as numbers, and `null` for
 * what was left out. What hosts and agents are shown is the schema itself. An argument that the tool does not take is an error.
 */
export function readArguments<Input>(
  schema: StandardSchemaWithJSON<Input, Input>,
  properties: Properties,
): StandardSchemaWithJSON<Input, Input> {
  const standard = schema['~standard']
  const names = Object.keys(properties)
  const validate: typeof standard.validate = (value) => {
    if (!isRecord(value)) return standard.validate(value)
    const present = presentIn(value)
    // Some hosts send an argument to a tool that takes none.
    const unknown = names.length === 0 ? [] : present.filter(([name]) => ![...names, ...OF_HOSTS].includes(name))
    if (unknown.length > 0) return { issues: unknown.map(([name]) => ({ message: unknownArgument(name, names) })) }
    const taken = present.filter(([name]) => names.includes(name))
    const read = taken.map(
      ([name, member]) => [name, readArgument(memberOf(properties[name], 'type'), member)] as const,
    )
    const inexact = read.filter(([, member]) => isInexact(member))
    if (inexact.length > 0) return { issues: inexact.map(([name]) => ({ message: `${name} ${INEXACT}` })) }
    return standard.validate(Object.fromEntries(read))
  }
  return { '~standard': { ...standard, validate } }
}

function unknownArgument(name: string, names: readonly string[]): string {
  const closest = closestName(name, names)
  return `no such argument: ${name}; ${closest === undefined ? `the tool takes ${names.join(', ')}` : `did you mean ${closest}?`}`
}

/** What does not fit stays as it is, and is rejected by the schema. Results have a key as it is here, so it is clean here. */
function readArgument(type: unknown, value: unknown): unknown {
  if (type === 'string') return typeof value === 'string' || Number.isFinite(value) ? cleanText(String(value)) : value
  const isText = typeof value === 'string' && (type === 'object' || /^\d+(\.\d+)?$/.test(value))
  const read = isText ? (tryParseJson(value) ?? value) : value
  return isRecord(read) ? Object.fromEntries(presentIn(read)) : read
}

function presentIn(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== null)
}

/** The messages of a host. The protocol drops one that it cannot read, and its caller would wait for ever. */
export function readMessages(input: NodeJS.ReadStream): PassThrough {
  const messages = new PassThrough()
  let rest = ''
  input.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) messages.write(`${readLine(line)}\n`)
  })
  return messages
}

/** Some hosts send all arguments as JSON text, or `null` for what is absent. */
function readLine(line: string): string {
  const message = tryParseJson(line)
  if (!isRecord(message)) return line
  const given = memberOf(message.params, 'arguments')
  const read = typeof given === 'string' ? tryParseJson(given) : given
  // Nulls below the arguments are the tool's.
  const plain = JSON.parse(line, (_, value: unknown) => value ?? undefined)
  if (isRecord(plain.params) && given !== undefined) plain.params.arguments = read ?? {}
  // JSON would have `null` for a number that is larger than any other, such as `1e400`.
  const text = JSON.stringify(plain, (_, value) => (Math.abs(value) === Number.POSITIVE_INFINITY ? LARGEST : value))
  return text.replaceAll(`"${LARGEST}"`, '1e400')
}

const LARGEST = randomUUID()
