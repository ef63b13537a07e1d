import { eachOf, noCursor, rejectArgument, type TaskRecord, type TaskState } from '@modelrun/kit'
import { readRun } from './read-runs.ts'
import { keyOf, type Run } from './run-types.ts'
import type { RunsContext } from './runs-context.ts'

/** A run in a list. */
export type ListedRun = Run & {
  /** For `after` of the next list. */
  readonly cursor: string
}

/** A page of runs. */
export interface RunList {
  /** Most runs of a page. Default 100. */
  limit?: number | undefined
  /** The `cursor` of the last run of the page before. */
  after?: string | undefined
}

/** In this order: what was sent, by its end, what is under way, what was cancelled before it was sent, and what waits. */
const ORDER = ['done', 'dead', 'running', 'unsent', 'waiting'] as const satisfies (TaskState | 'unsent')[]

/** Lists the runs of a batch. One that moves on meanwhile may be missing, or listed twice. */
export async function listRuns({ limit = 100, after }: RunList, context: RunsContext): Promise<ListedRun[]> {
  const found: ListedRun[] = []
  for await (const { id, cursor } of placesAfter(after, context)) {
    // A retried run has a task for each attempt: its first one names it.
    const run = id === keyOf(id) ? await readRun(id, context) : undefined
    if (run !== undefined) found.push({ ...run, cursor })
    if (found.length >= limit) break
  }
  return found
}

/** Reads a cursor, which has the name of a part of its list and a place in that. @throws ConfigurationError */
export function partAfter<Part extends string>(after: string | undefined, parts: readonly Part[]) {
  if (after === undefined) return { rest: parts }
  const at = parts.findIndex((part) => after.startsWith(`${part}:`))
  const first = parts[at]
  if (first === undefined) return rejectArgument('a list', 'after', noCursor(after))
  return { rest: parts.slice(at), first, place: after.slice(first.length + 1) }
}

async function* placesAfter(
  cursor: string | undefined,
  context: RunsContext,
): AsyncGenerator<{ id: string; cursor: string }> {
  const { rest, first, place } = partAfter(cursor, ORDER)
  for (const state of rest) {
    const after = state === first ? place : undefined
    const [queue, of] = state === 'unsent' ? (['unsent', 'waiting'] as const) : (['submit', state] as const)
    for await (const page of pagesOf(context.queues[queue], { state: of, after }, context)) {
      for (const task of page) yield { id: task.id, cursor: `${state}:${task.cursor}` }
    }
  }
}

const AT_ONCE = 10

/** Works each run once of which a page of a list has an attempt, several at a time. */
export async function eachRun(
  page: readonly TaskRecord[],
  seen: Set<string>,
  work: (key: string) => Promise<unknown>,
): Promise<void> {
  const keys = new Set(page.map(({ id }) => keyOf(id)).filter((key) => key !== '' && !seen.has(key)))
  await eachOf(keys, AT_ONCE, async (key) => {
    seen.add(key)
    await work(key)
  })
}

const PAGE = 100

/** Yields the tasks of a state, page by page. */
export async function* pagesOf(
  queue: string,
  { state, after }: { state: TaskState; after?: string | undefined },
  { engine }: RunsContext,
): AsyncGenerator<TaskRecord[]> {
  for (let from = after; ; ) {
    const page = await engine.list(queue, state, { limit: PAGE, after: from })
    if (page.length === 0) return
    yield page
    from = page.at(-1)?.cursor
  }
}

/** The states of open tasks. `waiting` twice: a task may change from running to waiting in between. */
export const OPEN_STATES = ['waiting', 'running', 'waiting'] as const
