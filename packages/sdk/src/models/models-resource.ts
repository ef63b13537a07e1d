import type { ListModelsQuery, Model, RunRequest } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { ApiPromise } from '../http/api-promise.ts'
import type { ApiResult, CallOptions } from '../http/operation.ts'
import { request } from '../http/request.ts'
import type { RunAnswer } from '../runs/run-answer.ts'
import { runOperation } from '../runs/run-operation.ts'
import { checkSendable } from '../runs/sendable-input.ts'
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
    return new ModelsPagePromise(query, (pageQuery) =>
      request(this.#core, listModelsOperation(pageQuery), options).withResponse(),
    )
  }

  /**
   * One model with its `input_schema` (section 4.2).
   *
   * @throws NotFoundError when there is no such model; and as {@link list}
   */
  get(id: string, options: CallOptions = {}): ApiPromise<Model> {
    return request(this.#core, getModelOperation(id), options)
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
  run(model: string, body: RunRequest, options: CallOptions = {}): ApiPromise<RunAnswer> {
    return new ApiPromise(this.#run(model, body, options))
  }

  async #run(model: string, body: RunRequest, options: CallOptions): Promise<ApiResult<RunAnswer>> {
    checkSendable(body.input)
    return await request(this.#core, runOperation(model, body), options).withResponse()
  }
}
