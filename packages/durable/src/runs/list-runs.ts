import type { TaskState } from '@modelrun/kit'
import { readRun } from './read-runs.ts'
import { keyOf, type Run } from './run-types.ts'
import { pagesOf, type RunsContext } from './runs-context.ts'

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

/** In this order: what was sent, by its end, what is under way, and what waits. */
const ORDER: readonly TaskState[] = ['done', 'dead', 'running', 'waiting']

/** Lists the runs of a batch. One that moves on meanwhile may be listed twice. */
export async function listRuns({ limit = 100, after = '' }: RunList, context: RunsContext): Promise<ListedRun[]> {
  const found: ListedRun[] = []
  for await (const { id, cursor } of placesAfter(after, context)) {
    // A retried run has a task for each attempt: its first one names it.
    const run = id === keyOf(id) ? await readRun(id, context) : undefined
    if (run !== undefined) found.push({ ...run, cursor })
    if (found.length >= limit) break
  }
  return found
}

async function* placesAfter(cursor: string, context: RunsContext): AsyncGenerator<{ id: string; cursor: string }> {
  const [first = '', place] = cursor.split(':')
  const from = ORDER.findIndex((state) => first === '' || state === first)
  for (const state of ORDER.slice(from)) {
    const after = state === first ? place : undefined
    for await (const page of pagesOf(context.queues.submit, { state, after }, context)) {
      for (const task of page) yield { id: task.id, cursor: `${state}:${task.cursor}` }
    }
  }
}
