import type { InputProperty, InputSchema } from '@modelrun/contract'
import { stableJson } from '@modelrun/kit'

/**
 * A hash of all that decides which inputs a schema takes, and what they mean: names, types, allowed values, defaults, bounds
 * and which parameters are required (section 2.3). Texts and the order of members do not count. `modelrun types` writes it
 * beside the types of a model.
 *
 * @returns 16 hexadecimal digits: the start of a SHA-256
 */
export async function schemaHash(schema: InputSchema): Promise<string> {
  const bytes = new TextEncoder().encode(stableJson(meaningOf(schema)))
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function meaningOf({ properties, required = [] }: InputSchema): unknown {
  return {
    parameters: Object.entries(properties).filter(isSendable).map(parameterOf).toSorted(),
    required: [...new Set(required)].filter((name) => name !== '__proto__').toSorted(),
  }
}

/** The parser of models leaves this name out, and no object literal can hold it. */
function isSendable([name]: [string, InputProperty]): boolean {
  return name !== '__proto__'
}

function parameterOf([name, property]: [string, InputProperty]): string {
  const { type, enum: allowed, default: fallback, minimum, maximum } = property
  const types = type === undefined ? undefined : [type].flat().toSorted()
  return stableJson({
    name,
    types,
    enum: allowed?.map(stableJson).toSorted(),
    default: fallback,
    minimum,
    maximum,
  })
}
