import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { ModelRun } from '../client/client.ts'
import type { AnyModelId, ModelId, ModelInput } from '../client/models/model-inputs.ts'
import { PageRun } from './page-run.ts'
import { IDLE, type RunState } from './run-state.ts'
import { createRunMemory } from './saved-run.ts'

/** Options of {@link useRun}. */
export interface UseRunOptions {
  /**
   * Names the run in this tab: components with the same key show the same run. Give each its own when several of a model are
   * on a page. Default: the model.
   */
  key?: string | undefined
  /** The client, made once and not in a component. Default: one for a proxy at `/api/modelrun`. */
  client?: ModelRun | undefined
}

/** What {@link useRun} can do. The functions stay the same from render to render. */
export interface RunActions<Input> {
  /** Starts a run and sends it once. Does nothing while one is under way, so a double click is one run. */
  run(input: Input): void
  /** Cancels the job, which is not charged then. Does nothing when no run is under way. */
  cancel(): void
  /** Forgets the run. One that is under way continues and is charged: cancel it first. */
  reset(): void
}

/**
 * Runs a model over the proxy of `modelrun/proxy`, and gives the state of the run. It is found again when the component is
 * mounted again, and when the page is loaded again. Never sends a run again that may be charged.
 *
 * @example
 * const { run, cancel, status, progress, result, error } = useRun('aurora-image')
 */
export function useRun<const Id extends AnyModelId>(
  model: ModelId<Id>,
  { key = model, client = getDefaultClient() }: UseRunOptions = {},
): RunState & RunActions<ModelInput<NoInfer<Id>>> {
  const getRun = useCallback(() => getPageRun(client, key), [client, key])
  const subscribe = useCallback((listener: () => void) => getRun().subscribe(listener), [getRun])
  const state = useSyncExternalStore(
    subscribe,
    () => getRun().state,
    () => IDLE,
  )
  const actions = useMemo(
    (): RunActions<ModelInput<NoInfer<Id>>> => ({
      run: (input) => getRun().start(model, input),
      cancel: () => getRun().cancel(),
      reset: () => getRun().reset(),
    }),
    [getRun, model],
  )
  return { ...state, ...actions }
}

// State of the module, because it is state of the page: a component that is mounted again must find the run that an earlier
// one has sent, and components share nothing else.
const runsOfClients = new WeakMap<ModelRun, Map<string, PageRun>>()
let defaultClient: ModelRun | undefined

/** The client of pages whose proxy has the default path. */
function getDefaultClient(): ModelRun {
  defaultClient ??= new ModelRun({ baseUrl: '/api/modelrun' })
  return defaultClient
}

/** The run of a key in this page. Not called while a server renders. */
function getPageRun(client: ModelRun, key: string): PageRun {
  const runs = runsOfClients.get(client) ?? new Map<string, PageRun>()
  const run = runs.get(key) ?? new PageRun(client, createRunMemory(key, client.baseUrl))
  runsOfClients.set(client, runs.set(key, run))
  return run
}
