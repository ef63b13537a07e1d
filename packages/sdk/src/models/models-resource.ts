import type { ListModelsQuery, Model, RunRequest } from '@modelrun/contract'
import { LIST_QUERY, RUN_BODY } from '../arguments/call-options.ts'
import { checkArguments } from '../arguments/check-arguments.ts'
import { readOptions } from '../arguments/read-options.ts'
import type { Core } from '../core.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import { checkedCall } from '../http/checked-call.ts'
import type { CallOptions } from '../http/operation.ts'
import type { RunAnswer } from '../runs/run-answer.ts'
import { runOperation } from '../runs/run-operation.ts'
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
    const place = 'client.models.list'
    return new ModelsPagePromise(query, (pageQuery) =>
      checkedCall(this.#core, { place, options }, () =>
        listModelsOperation(readOptions(place, pageQuery, LIST_QUERY)),
      ).withResponse(),
    )
  }

  /**
   * One model with its `input_schema` (section 4.2).
   *
   * @throws NotFoundError when there is no such model; and as {@link list}
   */
  get(id: string, options: CallOptions = {}): ApiPromise<Model> {
    const place = 'client.models.get'
    return checkedCall(this.#core, { place, options }, () => {
      checkArguments(place, { model: id })
      return getModelOperation(id)
    })
  }

  /**
   * The one HTTP call that runs a model (section 4.3): it gives the service's answer and waits for nothing. Prefer
   * `client.run`, which also gets the result of a run that takes longer.
   *
   * The request is sent once, and again only where the first one certainly did not count.
   *
   * @throws As {@link list}; `error.submission` tells whether the run may be charged
   */
  run(model: string, body: RunRequest, options: CallOptions = {}): ApiPromise<RunAnswer> {
    const place = 'client.models.run'
    return checkedCall(this.#core, { place, options }, () => {
      checkArguments(place, { model })
      return runOperation(model, readOptions(place, body, RUN_BODY))
    })
  }
}
