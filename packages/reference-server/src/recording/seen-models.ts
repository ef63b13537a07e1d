import { type Output, outputSchema } from '@modelrun/contract'
import type { CatalogModel } from '../domain/catalog.ts'
import { OWN_FILE } from '../domain/produce-output.ts'
import { catalogProblem } from '../domain/read-catalog.ts'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import { parseShape } from '../shared/parse-shape.ts'
import { membersOf } from './exchange.ts'

/** A model as lists and details showed it, with what its runs did. */
export interface SeenModel extends CatalogModel {
  outcomes: ScriptedOutcome[]
}

/** The newest so many outcomes of a model are stored. */
const MAX_OUTCOMES = 100
const UNKNOWN_LATENCY_MS = 1_000
const NOT_SEEN = 'not seen'

const KIND_BY_CATEGORY: ReadonlyMap<unknown, CatalogModel['output_kind']> = new Map([
  ['text-to-video', 'video'],
  ['text-to-speech', 'audio'],
  ['audio-generation', 'audio'],
])

/** The models that were listed, read or run. */
export class SeenModels {
  readonly #models: Map<string, SeenModel>

  constructor(models: readonly CatalogModel[]) {
    this.#models = new Map(models.map((model) => [model.id, { ...model, outcomes: [...(model.outcomes ?? [])] }]))
  }

  all(): readonly SeenModel[] {
    return [...this.#models.values()]
  }

  has(id: string): boolean {
    return this.#models.has(id)
  }

  latencyMs(id: string): number {
    return this.#models.get(id)?.latency_ms ?? UNKNOWN_LATENCY_MS
  }

  /** @returns why the model cannot be part of a catalog */
  add(shown: unknown): string | undefined {
    const { id } = membersOf(shown)
    if (typeof id !== 'string') return 'a model without an id'
    const known = this.#models.get(id) ?? newModel(id)
    const { outcomes, latency_ms } = known
    const model = { ...known, ...membersOf(shown), outcomes, latency_ms, output_kind: known.output_kind }
    if (outcomes.length === 0) model.output_kind = KIND_BY_CATEGORY.get(model.category) ?? 'image'
    const problem = catalogProblem([model])
    if (problem !== undefined) return `the model ${id}: it ${problem}`
    this.#models.set(id, model)
    return undefined
  }

  /** A run of this model was made. @returns its outcome, which is completed when more is known */
  ran(id: string): ScriptedOutcome {
    const model = this.#models.get(id) ?? newModel(id)
    this.#models.set(id, model)
    const outcome: ScriptedOutcome = { result: 'succeeded' }
    model.outcomes = [...model.outcomes, outcome].slice(-MAX_OUTCOMES)
    return outcome
  }

  /** A run of this model ended. */
  ended(id: string, outcome: ScriptedOutcome, { output, credits, count }: EndedRun): void {
    const model = this.#models.get(id)
    if (model === undefined) return
    const kind = (['image', 'video', 'audio'] as const).find((one) => one === membersOf(output).type)
    model.output_kind = kind ?? model.output_kind
    outcome.output = formOf(output, model.output_kind, count)
    if (model.provider === NOT_SEEN && Number.isSafeInteger(credits)) {
      model.pricing = { credits_per_run: Math.max(0, Number(credits)) }
    }
    const times = model.outcomes.flatMap(({ after_ms }) => after_ms ?? [])
    model.latency_ms = median(times) ?? UNKNOWN_LATENCY_MS
  }
}

interface EndedRun {
  output?: unknown
  credits?: unknown
  /** How many files were asked for. */
  count: number
}

/** What is not known of it allows everything. */
function newModel(id: string): SeenModel {
  return {
    id,
    name: id,
    description: '',
    category: 'text-to-image',
    provider: NOT_SEEN,
    status: 'active',
    pricing: { credits_per_run: 1 },
    input_schema: { type: 'object', properties: {}, ...{ additionalProperties: true } },
    output_kind: 'image',
    latency_ms: UNKNOWN_LATENCY_MS,
    outcomes: [],
  }
}

/**
 * The form of an output: its files are those of the reference server, and long texts are left out. `undefined` where the
 * reference server makes the same by itself.
 */
function formOf(output: unknown, kind: CatalogModel['output_kind'], count: number): Output | undefined {
  const checked = parseShape(outputSchema, output)
  if (!checked.ok) return undefined
  const { type, items } = checked.value
  const form = shortened({ ...checked.value, type, items: items.map((item) => ({ ...item, url: OWN_FILE })) }) as Output // it has the same members
  const own = { type: kind, items: Array.from({ length: count }, () => ({ type: kind, url: OWN_FILE })) }
  return JSON.stringify(form) === JSON.stringify(own) ? undefined : form
}

const LONGEST_TEXT = 100
const MOST_ITEMS = 100

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= LONGEST_TEXT ? value : `${value.length} characters`
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

/** The value in the middle; `undefined` of none. */
export function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}
