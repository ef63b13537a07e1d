import type { ListModelsQuery, Model } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { captureCaller, rejectAtCaller, showCaller } from '../errors/caller-stack.ts'
import { ApiPromise } from '../http/api-promise.ts'
import type { Answer, CallOptions } from '../http/operation.ts'
import { callOnce, request } from '../http/request.ts'
import { checkInput } from '../runs/check-input.ts'
import type { RunAnswer } from '../runs/run-answer.ts'
import { runOperation } from '../runs/run-operation.ts'
import type { AnyModelId, ModelId, RunBody } from './model-inputs.ts'
import { getModelOperation, listModelsOperation } from './model-operations.ts'
import { ModelsPagePromise } from './models-page.ts'

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
    const caller = captureCaller(ModelsResource.prototype.list)
    return new ModelsPagePromise(query, async (pageQuery) => {
      try {
        return await callOnce(this.#core, listModelsOperation(pageQuery), options)
      } catch (error) {
        throw showCaller(error, caller)
      }
    })
  }

  /**
   * One model with its `input_schema` (section 4.2).
   *
   * @throws NotFoundError when there is no such model; and as {@link list}
   */
  get(id: string, options: CallOptions = {}): ApiPromise<Model> {
    const operation = getModelOperation(id)
    const read = (answer: Answer) => this.#core.modelCache.keep(id, operation.read(answer))
    return request(this.#core, { ...operation, read }, { options, calledFunction: ModelsResource.prototype.get })
  }

  /**
   * The one HTTP call that runs a model (section 4.3): it gives the service's answer and waits for nothing. Prefer
   * `client.run`, which also gets the result of a run that takes longer.
   *
   * The request is sent once, and again only where the first one certainly did not count.
   *
   * @throws As {@link list}; `error.submission` tells whether the run may be charged
   * @throws InputValidationError when the input holds what JSON cannot, such as a Buffer or a promise
   */
  run<const Id extends AnyModelId>(
    model: ModelId<Id>,
    body: RunBody<NoInfer<Id>>,
    options: CallOptions = {},
  ): ApiPromise<RunAnswer> {
    const work = async () => {
      const operation = runOperation(model, { ...body, input: checkInput(body.input) })
      return await callOnce(this.#core, operation, options)
    }
    return new ApiPromise(rejectAtCaller(ModelsResource.prototype.run, work))
  }
}
