import type { CatalogModel } from '../domain/catalog.ts'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import type { RecordedExchange } from './exchange.ts'

/** A run, as far as its exchanges have shown it. */
interface Run {
  model: string
  startedAt: number
  /** When it was seen unfinished for the last time. */
  openAt: number
  ms?: number
  last: RecordedExchange
}

/** The models of a recording, as the catalog of a server whose runs take as long and end as theirs. */
export function recordedCatalog(exchanges: readonly RecordedExchange[]): CatalogModel[] {
  const models = new Map<string, Partial<CatalogModel>>()
  const runs = new Map<string, Run>()
  for (const exchange of exchanges) {
    for (const model of exchange.models ?? []) models.set(model.id, { ...models.get(model.id), ...(model as object) })
    follow(runs, exchange)
  }
  const all = [...runs.values()]
  const ids = new Set([...models.keys(), ...all.map(({ model }) => model)])
  const runsOf = (id: string) => all.filter(({ model }) => model === id)
  return Array.from(ids, (id) => modelOf(id, models.get(id) ?? {}, runsOf(id)))
}

function follow(runs: Map<string, Run>, exchange: RecordedExchange): void {
  const { route, at, ms, model, job = '', state } = exchange
  const now = at + ms
  const isOpen = state === 'queued' || state === 'processing'
  if (route === 'runModel' && model !== undefined) {
    runs.set(job, { model, startedAt: at, openAt: isOpen ? now : at, last: exchange, ...(isOpen ? {} : { ms }) })
    return
  }
  const run = runs.get(job)
  if (run === undefined || run.ms !== undefined || state === undefined) return
  run.last = exchange
  if (isOpen) run.openAt = now
  else run.ms = endMs(run, exchange)
}

/** Between the last time that it was seen unfinished and the first that it was not. One that was cancelled can be again. */
function endMs({ startedAt, openAt }: Run, { at, ms, state }: RecordedExchange): number {
  return state === 'cancelled' ? 2 * (at + ms - startedAt) : Math.round((openAt + at + ms) / 2 - startedAt)
}

function modelOf(id: string, shown: Partial<CatalogModel>, runs: readonly Run[]): CatalogModel {
  const outputs = runs.flatMap(({ last }) => last.output ?? [])
  const times = runs.flatMap(({ ms, last }) => (ms === undefined || last.state === 'cancelled' ? [] : [ms]))
  const credits = runs.findLast(({ last }) => last.credits !== undefined)?.last.credits ?? 1
  return {
    id,
    name: id,
    description: '',
    category: 'text-to-image',
    provider: 'not seen',
    status: 'active',
    pricing: { credits_per_run: credits },
    // A model whose details were not read takes everything.
    input_schema: { type: 'object', properties: {}, ...{ additionalProperties: true } },
    ...shown,
    output_kind: kindOf(outputs.at(-1)?.type),
    latency_ms: times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 1_000,
    outcomes: runs.slice(-100).map(outcomeOf), // the newest
  }
}

const kindOf = (type: unknown) => (type === 'video' || type === 'audio' ? type : 'image')

function outcomeOf({ ms, last: { state, code, output } }: Run): ScriptedOutcome {
  const error = code === undefined ? undefined : { code, message: 'The run failed when it was recorded.' }
  return state === 'failed' ? { result: 'failed', after_ms: ms, error } : { result: 'succeeded', after_ms: ms, output }
}
