import { defined, memberOf, numberIn, stringIn, tryParseJson } from '@modelrun/kit'

/**
 * What is kept of a run while its page is loaded again. No input: it may be private. Without a job until the response to the run:
 * whether there is one is not known then.
 */
interface SavedRun {
  startedAt: number
  job?: { job_id: string; model_id?: string | undefined; request_id?: string | undefined } | undefined
}

export type RunMemory = ReturnType<typeof createRunMemory>

/**
 * Keeps a run in the storage of its tab: other tabs have runs of their own, and a copy of the tab follows the same job. Where
 * the browser allows no storage, a run lives as long as its page. Two proxies of a site know nothing of the jobs of each other.
 */
export function createRunMemory(key: string, baseUrl: string) {
  const name = `modelrun:${baseUrl} ${key}`
  return {
    read: () => withStorage((storage) => readRun(storage.getItem(name))),
    write: (run: SavedRun | undefined) =>
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

/** Nothing for what other code has written there. */
function readRun(stored: string | null): SavedRun | undefined {
  const value = tryParseJson(stored ?? '')
  const [startedAt, job] = [numberIn(value, 'startedAt'), memberOf(value, 'job')]
  const [job_id, model_id, request_id] = ['job_id', 'model_id', 'request_id'].map((name) => stringIn(job, name))
  if (startedAt === undefined || (job !== undefined && !job_id)) return undefined
  return job_id ? { startedAt, job: { job_id, ...defined({ model_id, request_id }) } } : { startedAt }
}
