import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { ModelRun } from '../client/client.ts'
import type { AnyModelId, ModelId, ModelInput } from '../client/models/model-inputs.ts'
import { getDefaultClient, getPageRuns } from './page-runs.ts'
import { IDLE, type RunState } from './run-state.ts'

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
  const runs = getPageRuns(client)
  const subscribe = useCallback((listener: () => void) => runs.get(key).subscribe(listener), [runs, key])
  const state = useSyncExternalStore(
    subscribe,
    () => runs.stateOf(key),
    () => IDLE,
  )
  const actions = useMemo(
    (): RunActions<ModelInput<NoInfer<Id>>> => ({
      run: (input) => runs.get(key).start(model, input),
      cancel: () => runs.get(key).cancel(),
      reset: () => runs.get(key).reset(),
    }),
    [runs, key, model],
  )
  return { ...state, ...actions }
}
