import { type InputIssue, InputValidationError } from '../errors/local-errors.ts'
import { jsonPointer } from '../json-pointer.ts'
import { hasMethod, isArrayBuffer, isBlob, kindOf } from '../value-kind.ts'

/** A value of an input, and the way to it. */
interface Place {
  value: unknown
  key: string
  parent: Place | undefined
}

/** More would make the message long and no clearer. */
const MAX_ISSUES = 5

/**
 * Finds what JSON would drop or empty without a word: files, bytes, promises, functions. Each object is looked at once,
 * so that an input may hold itself or be of any depth.
 *
 * @throws InputValidationError
 */
export function checkSendable(input: unknown): void {
  const issues: InputIssue[] = []
  const seen = new Set<unknown>()
  const places: Place[] = [{ value: input, key: '', parent: undefined }]
  for (const place of places) {
    const message = problemOf(place.value)
    if (message !== undefined) issues.push({ pointer: pointerOf(place), message })
    else if (isWalked(place.value) && !seen.has(place.value)) {
      seen.add(place.value)
      addMembers(places, place, place.value)
    }
    if (issues.length === MAX_ISSUES) break
  }
  if (issues.length === 0) return
  const list = issues.map(({ pointer, message }) => `${pointer || 'The input'} ${message}`).join(' ')
  throw new InputValidationError({ message: `The input cannot be sent as JSON. ${list} Nothing was sent.`, issues })
}

function addMembers(places: Place[], parent: Place, container: object): void {
  const add = (value: unknown, key: string | number) => {
    if (typeof value === 'object' ? value !== null : typeof value === 'function' || typeof value === 'symbol') {
      places.push({ value, key: String(key), parent })
    }
  }
  if (Array.isArray(container)) container.forEach(add)
  else for (const [key, value] of Object.entries(container)) add(value, key)
}

/** What is not a plain value but knows how to become one (a Date, a URL) is left to JSON. */
function isWalked(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !hasMethod(value, 'toJSON')
}

function problemOf(value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return `is a ${typeof value}, which JSON leaves out.`
  if (typeof value !== 'object' || value === null) return undefined
  const kind = kindOf(value)
  if (ArrayBuffer.isView(value) || isArrayBuffer(value) || isBlob(value)) {
    return `is a file (${kind}). Files go as text: pass \`await toDataUri(image)\` (from 'modelrun'), or the file's URL.`
  }
  if (hasMethod(value, 'then')) return `is a ${kind}: await it.`
  if (kind === 'Response' || kind === 'ReadableStream' || hasMethod(value, 'pipe')) {
    return 'is a stream: read it, and pass `await toDataUri(blob)`.'
  }
  return isEmptied(value, kind) ? `is a ${kind}, which JSON empties.` : undefined
}

/** Such as a Map, a FormData or an element of a page: everything that it has is out of JSON's reach. */
function isEmptied(value: object, kind: string): boolean {
  const isJson = ['Object', 'Array', 'String', 'Number', 'Boolean'].includes(kind) || hasMethod(value, 'toJSON')
  return !isJson && Object.keys(value).length === 0
}

function pointerOf(place: Place): string {
  const path: string[] = []
  for (let at: Place = place; at.parent !== undefined; at = at.parent) path.push(at.key)
  return jsonPointer(path.reverse())
}
