import { closestName } from '../domain/closest-name.ts'
import type { ExploreOptions } from './explore.ts'
import { isSeed } from './step.ts'

/** What each option takes, and whether a value is of that kind. */
const CHECKS: Readonly<
  Record<keyof ExploreOptions, readonly [allowed: string, isAllowed: (value: unknown) => boolean]>
> = {
  maxRuns: ['an integer, 1 or more', (value) => Number.isSafeInteger(value) && Number(value) >= 1],
  seed: ["the seed that a failure has named, such as 'eda'", isSeed],
  shuffle: ['an integer', Number.isSafeInteger],
  server: ['the options of a server', (value) => typeof value === 'object' && value !== null],
  settleMs: ['milliseconds, 0 or more', isMilliseconds],
  timeoutMs: ['milliseconds, 0 or more', isMilliseconds],
}

/** @throws TypeError that says what is wrong with the arguments of `explore`, before anything is run */
export function checkExploreOptions(test: unknown, options: unknown): void {
  if (typeof test !== 'function') {
    throw new TypeError(`explore takes a test first, as in explore(async (server) => { … }), not ${show(test)}.`)
  }
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`explore takes its options as an object, not ${show(options)}.`)
  }
  for (const [name, value] of Object.entries(options)) checkOption(name, value)
}

function checkOption(name: string, value: unknown): void {
  if (!isOption(name)) throw new TypeError(`explore has no option ${name}. ${adviceFor(name)}`)
  const [allowed, isAllowed] = CHECKS[name]
  if (value === undefined || isAllowed(value)) return
  throw new TypeError(`explore takes ${name}: ${allowed}; it got ${show(value)}.`)
}

function isOption(name: string): name is keyof ExploreOptions {
  return Object.hasOwn(CHECKS, name)
}

function adviceFor(name: string): string {
  const names = Object.keys(CHECKS)
  const closest = closestName(name, names)
  return closest === undefined ? `It has: ${names.join(', ')}.` : `Did you mean ${closest}?`
}

function isMilliseconds(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
