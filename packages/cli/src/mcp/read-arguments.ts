import type { JSONRPCMessage, StandardSchemaWithJSON, Transport } from '@modelcontextprotocol/server'
import { closestName, isRecord, memberOf, tryParseJson } from '@modelrun/kit'
import type { Properties } from './tools.ts'

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
    const present = Object.entries(value).filter(([, member]) => member !== null)
    // Some hosts send an argument to a tool that takes none.
    const unknown = names.length === 0 ? [] : present.filter(([name]) => !names.includes(name))
    if (unknown.length > 0) return { issues: unknown.map(([name]) => ({ message: unknownArgument(name, names) })) }
    const read = present.map(([name, member]) => [name, readArgument(memberOf(properties[name], 'type'), member)])
    return standard.validate(Object.fromEntries(read))
  }
  return { '~standard': { ...standard, validate } }
}

function unknownArgument(name: string, names: readonly string[]): string {
  const closest = closestName(name, names)
  return `no such argument: ${name}; ${closest === undefined ? `the tool takes ${names.join(', ')}` : `did you mean ${closest}?`}`
}

/** What does not fit stays as it is, and is rejected by the schema. */
function readArgument(type: unknown, value: unknown): unknown {
  if (type === 'string') return Number.isFinite(value) ? String(value) : value
  if (typeof value !== 'string') return value
  const isNumber = /^\d+(\.\d+)?$/.test(value)
  return type === 'object' || isNumber ? (tryParseJson(value) ?? value) : value
}

/** Some hosts send all arguments as JSON text, or `null`. The protocol would reject the message before a schema reads it. */
export function withReadCalls<Wire extends Transport>(wire: Wire): Wire {
  const start = wire.start.bind(wire)
  wire.start = () => {
    const { onmessage } = wire
    wire.onmessage = (message, extra) => onmessage?.(readCall(message), extra)
    return start()
  }
  return wire
}

function readCall<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('method' in message) || message.method !== 'tools/call') return message
  const given = memberOf(message.params, 'arguments')
  const read = typeof given === 'string' ? tryParseJson(given) : given
  return read === null || isRecord(read)
    ? { ...message, params: { ...message.params, arguments: read ?? {} } }
    : message
}
