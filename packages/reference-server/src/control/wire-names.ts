type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name
type WireName<Name> =
  SnakeCase<Name> extends infer Snake extends string
    ? Snake extends 'at' | `${string}_at`
      ? `${Snake}_ms`
      : Snake
    : never
export type Wire<Value> = Value extends unknown ? { [Name in keyof Value as WireName<Name>]: Value[Name] } : never

/**
 * What the control API sends: members in snake_case, as the service does, and times in milliseconds end in `_ms`. Only its own
 * members: what they hold may be of the user, such as the input of a run.
 */
export function toWire<Value extends object>(value: Value): Wire<Value> {
  const members = Object.entries(value).map(([name, member]) => [wireName(name), member])
  return Object.fromEntries(members) as Wire<Value> // the type does to names what `wireName` does
}

function wireName(name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return /(^|_)at$/.test(snake) ? `${snake}_ms` : snake
}
