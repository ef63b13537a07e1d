import { ModelRun } from '../client/client.ts'
import { PageRun } from './page-run.ts'
import { IDLE, type RunState } from './run-state.ts'
import { createRunMemory } from './saved-run.ts'

/** The runs of one client in this page, by their keys. */
export interface PageRuns {
  /** Creates nothing, so it can be called while a server renders. */
  stateOf(key: string): RunState
  get(key: string): PageRun
}

// State of the module, because it is state of the page: a component that is mounted again must find the run that an earlier
// one has sent, and components share nothing else.
const runsOfClients = new WeakMap<ModelRun, PageRuns>()
let defaultClient: ModelRun | undefined

/** The client of pages whose proxy has the default path. */
export function getDefaultClient(): ModelRun {
  defaultClient ??= new ModelRun({ baseUrl: '/api/modelrun' })
  return defaultClient
}

export function getPageRuns(client: ModelRun): PageRuns {
  const known = runsOfClients.get(client) ?? createPageRuns(client)
  runsOfClients.set(client, known)
  return known
}

function createPageRuns(client: ModelRun): PageRuns {
  const runs = new Map<string, PageRun>()
  return {
    stateOf: (key) => runs.get(key)?.state ?? IDLE,
    get: (key) => {
      const run = runs.get(key) ?? new PageRun(client, createRunMemory(key))
      runs.set(key, run)
      return run
    },
  }
}
