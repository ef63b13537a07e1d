import type { ListModelsQuery, Model, RunRequest } from '@modelrun/contract'
import { readOptions } from '@modelrun/kit'
import { CALL_OF_RUN, CALL_OPTIONS, checkArguments, LIST_QUERY, RUN_BODY } from './call-options.ts'
import type { Core } from './core.ts'
import { ApiPromise } from './http/api-promise.ts'
import type { CallContext, CallOptions } from './http/operation.ts'
import { loadPart } from './load-part.ts'
import type { AnyModelId, ModelId, RunBody } from './models/model-inputs.ts'
import { ModelsPagePromise } from './models/models-page.ts'
import { loadPreflight } from './runs/run-model.ts'
import { type AnyRunResponse, checkInput, runOperation } from './runs/run-operation.ts'
import type { PreflightOptions } from './runs/run-options.ts'

/** The models of the service (section 4.1 to 4.3). */
export class ModelsResource {
  readonly #core: Core

  /** @internal */
  constructor(core: Core) {
    this.#core = core
  }

  /**
   * Lists models (section 4.1). Awaiting the result gives one page, `for await` gives every model.
   *
   * @throws ApiError, ConnectionError, AttemptTimeoutError, AbortedError, InvalidResponseError
   * @example
   * for await (const model of client.models.list({ category: 'text-to-image' })) console.log(model.id)
   */
  list(query: ListModelsQuery = {}, options: CallOptions = {}): ModelsPagePromise {
    const place = 'client.models.list'
    const read = async () => ({
      query: readOptions(place, query, LIST_QUERY),
      call: readOptions(place, options, CALL_OPTIONS),
    })
    const checked = read()
    return new ModelsPagePromise(async (offset) => {
      const { query, call } = await checked
      const { listModelsOperation } = await loadPart(() => import('./models/model-operations.ts'))
      const operation = listModelsOperation(offset === undefined ? query : { ...query, offset })
      return await this.#core.transport.callOnce(operation, call)
    })
  }

  /**
   * One model with its `input_schema` (section 4.2).
   *
   * @throws NotFoundError when the model does not exist; and as {@link list}
   */
  get(id: string, options: CallOptions = {}): ApiPromise<Model> {
    const place = 'client.models.get'
    const work = async () => {
      checkArguments(place, { id })
      const checked = readOptions(place, options, CALL_OPTIONS)
      const { getModelOperation } = await loadPart(() => import('./models/model-operations.ts'))
      return await this.#core.transport.callOnce(getModelOperation(id), checked)
    }
    return new ApiPromise(work())
  }

  /**
   * Sends the request that runs a model (section 4.3) and returns the service's response, without waiting for the result.
   * Prefer `client.run`, which also gets the result of a longer run.
   *
   * The request is sent again only when the service certainly did not accept the first one. With `maxCredits` the price is read
   * right before it is sent.
   *
   * @throws As {@link list}; `error.submission` says whether the run may be charged
   * @throws InputValidationError when the input holds what JSON cannot, such as a Buffer or a promise
   */
  run<const Id extends AnyModelId>(
    model: ModelId<Id>,
    body: RunBody<NoInfer<Id>>,
    options: CallOptions & Pick<PreflightOptions, 'maxCredits'> = {},
  ): ApiPromise<AnyRunResponse> {
    const place = 'client.models.run'
    const work = async () => {
      checkArguments(place, { model })
      const checked = readOptions<Omit<RunRequest, 'input'> & { input: unknown }>(place, body, RUN_BODY)
      const input = checkInput(checked.input)
      const operation = runOperation(model, { ...checked, input })
      const call = readOptions(place, options, CALL_OF_RUN)
      const preflight = call.maxCredits === undefined ? undefined : await loadPreflight()
      const check = async ({ scope }: CallContext) =>
        void (await preflight?.(this.#core, { model, input }, { scope, options: call }))
      return await this.#core.transport.callOnce(operation, call, preflight && check)
    }
    return new ApiPromise(work())
  }
}
