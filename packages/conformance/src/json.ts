import { isRecord, memberOf } from '@modelrun/kit'

export { isRecord }

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** The value at a JSON pointer; `undefined` when there is none. `~` is not escaped: no name here holds one. */
export function at(value: unknown, pointer: string): unknown {
  return pointer.split('/').slice(1).reduce<unknown>(memberOf, value)
}

/** The items of an array; none for anything else. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A value in a sentence: short, on one line. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing'
  const json = JSON.stringify(value)
  return json.length > 120 ? `${json.slice(0, 117)}...` : json
}

/** Values by what they have in common, in the order of their first ones. */
export function groupBy<Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}
