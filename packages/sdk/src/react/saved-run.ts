import { memberOf, tryParseJson } from '@modelrun/kit'
import type { JobJson } from '../client/jobs/job-reference.ts'

/** What is kept of a run while its page is loaded again. No input: it may be private. */
interface SavedRun {
  startedAt: number
  /** Undefined until the response to the run: whether there is a job is not known then. */
  job?: JobJson | undefined
}

/** Where the run of one key is kept. */
export interface RunMemory {
  read(): SavedRun | undefined
  write(run: SavedRun | undefined): void
}

/**
 * Keeps a run in the storage of its tab: other tabs have runs of their own, and a copy of the tab follows the same job. Where
 * the browser allows no storage, a run lives as long as its page.
 */
export function createRunMemory(key: string): RunMemory {
  const name = `modelrun:${key}`
  return {
    read: () => withStorage((storage) => readRun(storage.getItem(name))),
    write: (run) =>
      withStorage((storage) =>
        run === undefined ? storage.removeItem(name) : storage.setItem(name, JSON.stringify(run)),
      ),
  }
}

/** A storage that is full or forbidden throws, even when it is only named. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}

/** The client that attaches to the job checks it. */
function readRun(text: string | null): SavedRun | undefined {
  const value = tryParseJson(text ?? '')
  const startedAt = memberOf(value, 'startedAt')
  return typeof startedAt === 'number' ? { startedAt, job: memberOf(value, 'job') as JobJson | undefined } : undefined
}
