import type { InputSchema } from '@modelrun/contract'
// biome-ignore lint/style/noRestrictedImports: zod/mini has no fromJSONSchema; this file is loaded on first use.
import * as z from 'zod'
import type { InputIssue } from '../errors/local-errors.ts'
import { closestName } from './closest-name.ts'

/** Everything in an input that breaks the model's schema (section 2.3). */
export function findInputIssues(schema: InputSchema, input: Record<string, unknown>): InputIssue[] {
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(schema.properties, name))
  return [...unknown.map((name) => unknownParameter(name, schema)), ...schemaIssues(schema, input)]
}

function unknownParameter(name: string, schema: InputSchema): InputIssue {
  const closest = closestName(name, Object.keys(schema.properties))
  const hint =
    closest === undefined ? `the model takes ${Object.keys(schema.properties).join(', ')}` : `did you mean ${closest}?`
  return { pointer: pointerOf([name]), message: `no such parameter; ${hint}` }
}

function schemaIssues(schema: InputSchema, input: Record<string, unknown>): InputIssue[] {
  const checked = readSchema(schema)?.safeParse(input)
  if (checked === undefined || checked.success) return []
  return checked.error.issues.map((issue) => ({ pointer: pointerOf(issue.path), message: messageOf(issue, input) }))
}

/** The schema as a parser; undefined when it uses what we do not know: then the service alone judges the input. */
function readSchema(schema: InputSchema): z.ZodType | undefined {
  try {
    // The wire's dialect is a part of JSON Schema; the parser checks what it gets.
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  } catch {
    return undefined
  }
}

function messageOf(issue: z.core.$ZodIssue, input: Record<string, unknown>): string {
  const isMissing = issue.path.length === 1 && !Object.hasOwn(input, String(issue.path[0]))
  return isMissing ? 'the parameter is required' : issue.message
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
