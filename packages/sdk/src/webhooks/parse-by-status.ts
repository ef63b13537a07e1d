import { memberOf } from '@modelrun/kit'
import * as z from 'zod/mini'

/**
 * Checks a value by the schema for its `status`. Does the same as `z.discriminatedUnion` for a tenth of its size. A value that does
 * not fit is checked again without its `null` members: services often send `null` for absent members.
 *
 * @returns Undefined when there is no schema for it, or it does not fit
 */
export function parseByStatus<T>(schemas: Readonly<Record<string, z.ZodMiniType<T>>>, value: unknown): T | undefined {
  const status = memberOf(value, 'status')
  const schema = typeof status === 'string' && Object.hasOwn(schemas, status) ? schemas[status] : undefined
  if (schema === undefined) return undefined
  return z.safeParse(schema, value).data ?? z.safeParse(schema, withoutNulls(value)).data
}

/** No schema is deeper. */
const MAX_DEPTH = 8

function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1))
  const present = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(present.map(([key, member]) => [key, withoutNulls(member, depth + 1)]))
}
