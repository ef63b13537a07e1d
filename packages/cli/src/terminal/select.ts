import { InvalidArgumentError } from 'commander'

/** A step of a path: a member, a place in an array, or `[]`, every item of an array. */
export type SelectStep = string | number | undefined

/** The steps of `--select`, and the path as it was given. */
export interface SelectPath {
  text: string
  steps: readonly SelectStep[]
}

const STEP = /\.?\["([^"]*)"\]|\[(-?\d+)?\]|\.([A-Za-z_$][\w$-]*)/y

/** Reads a path such as `.output.items[].url`, `.models[0].id` or `.["a name"]`. @throws InvalidArgumentError */
export function readPath(text: string): SelectPath {
  const steps: SelectStep[] = []
  let place = 0
  while (place < text.length && text !== '.') {
    STEP.lastIndex = place
    const match = STEP.exec(text)
    if (match === null) {
      throw new InvalidArgumentError(
        `It must be a path such as .output.items[].url, and is not from "${text.slice(place)}" on.`,
      )
    }
    const [whole, quoted, index, name] = match
    place += whole.length
    steps.push(quoted ?? name ?? (index === undefined ? undefined : Number(index)))
  }
  return { text, steps }
}

/** The parts of values that a path leads to, and what is wrong when it leads nowhere. */
export class Selection {
  readonly #path: SelectPath
  #hasFound = false
  #deepest = -1
  #problem = ''

  constructor(path: SelectPath) {
    this.#path = path
  }

  /** Why nothing was found in any value; undefined when something was, or when there was no value. */
  get problem(): string | undefined {
    if (this.#hasFound || this.#deepest < 0) return undefined
    return `--select ${this.#path.text} has found nothing. ${this.#problem}`
  }

  /** The parts of a value. */
  of(value: unknown): unknown[] {
    let found = [value]
    for (const [depth, step] of this.#path.steps.entries()) {
      found = found.flatMap((one) => this.#take(one, step, depth))
    }
    this.#hasFound ||= found.length > 0
    return found
  }

  #take(value: unknown, step: SelectStep, depth: number): unknown[] {
    const isList = Array.isArray(value)
    if (step === undefined && isList) return value
    const key = typeof step === 'number' && step < 0 && isList ? value.length + step : step
    const isRightKind = typeof step === 'string' ? !isList : isList
    if (key !== undefined && isRightKind && Object.hasOwn(Object(value), key)) return [Reflect.get(Object(value), key)]
    // Objects of one command differ: the value that the path leads into the furthest says what is wrong.
    if (depth > this.#deepest) {
      this.#deepest = depth
      this.#problem = problemOf(value, step)
    }
    return []
  }
}

function problemOf(value: unknown, step: SelectStep): string {
  const wanted = typeof step === 'string' ? `member ${step}` : `item ${step ?? ''}`.trim()
  if (Array.isArray(value)) {
    return typeof step === 'string'
      ? `There is no ${wanted} in an array: put [] before it, for every item.`
      : `There is no ${wanted} in an array of ${value.length}.`
  }
  if (typeof value !== 'object' || value === null) return `There is no ${wanted} in ${JSON.stringify(value)}.`
  return `There is no ${wanted}. There are: ${Object.keys(value).join(', ')}.`
}
