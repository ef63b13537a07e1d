import { toBase64Url } from '../signing/base64.ts'

/** The JSON of a value, the same for each order of its members. */
export function canonicalJson(value: unknown): string {
  // First as JSON has it: dates are texts there, and members that are undefined are not there.
  return JSON.stringify(JSON.parse(JSON.stringify(value)), (_, member) => sorted(member))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Makes keys of inputs: SHA-256 of model and input, and a number when an input comes again. */
export function inputKeys(model: string): (input: object) => Promise<string> {
  const counts = new Map<string, number>()
  return async (input) => {
    const bytes = new TextEncoder().encode(canonicalJson([model, input]))
    const hash = toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
    const count = (counts.get(hash) ?? 0) + 1
    counts.set(hash, count)
    return count === 1 ? hash : `${hash}.${count}`
  }
}
