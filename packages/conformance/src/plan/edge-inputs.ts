import { at, isRecord, itemsOf } from '../json.ts'
import { isExact } from './bounds.ts'
import type { ModelTarget } from './targets.ts'

type Schemed = Pick<ModelTarget, 'input' | 'inputSchema'>

/** An input with the last allowed value, or the minimum, of each parameter that has one. */
export function smallestInput(target: Schemed): Record<string, unknown> {
  return withValues(target, ({ enum: allowed, minimum }) => itemsOf(allowed).at(-1) ?? exact(minimum))
}

/** The same with the default or the first allowed value, or the maximum. */
export function largestInput(target: Schemed): Record<string, unknown> {
  return withValues(target, ({ enum: allowed, default: initial, maximum }) => {
    const values = itemsOf(allowed)
    return values.includes(initial) ? initial : (values[0] ?? exact(maximum))
  })
}

const exact = (bound: unknown) => (isExact(bound) ? bound : undefined)

function withValues({ input, inputSchema }: Schemed, choose: (property: Record<string, unknown>) => unknown) {
  const properties = at(inputSchema, '/properties')
  const values = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) => {
    const value = isRecord(property) ? choose(property) : undefined
    return value === undefined ? [] : [[name, value]]
  })
  return { ...input, ...Object.fromEntries(values) }
}
