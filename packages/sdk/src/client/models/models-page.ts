import type { ModelSummary } from '@modelrun/contract'
import { ApiPromise } from '../http/api-promise.ts'
import type { ApiResult } from '../http/operation.ts'
import type { ReceivedModels } from './model-operations.ts'

/** Fetches the page at an offset; without one, the first page. */
export type FetchPage = (offset?: number) => Promise<ApiResult<ReceivedModels>>

/** One page of models (section 4.1). Iteration continues with all pages after it. */
export class ModelsPage implements AsyncIterable<ModelSummary> {
  /** The models of this page, without their `input_schema`. */
  readonly models: readonly ModelSummary[]
  /** Number of all matching models, on every page. */
  readonly total: number
  /** Limit that the service applied. */
  readonly limit: number
  /** Offset that the service applied. */
  readonly offset: number
  readonly #fetchPage: FetchPage
  readonly #nextOffset: number

  /** @internal */
  constructor(list: ReceivedModels, fetchPage: FetchPage) {
    this.models = list.models
    this.total = list.total
    this.limit = list.limit
    this.offset = list.offset
    this.#fetchPage = fetchPage
    this.#nextOffset = list.nextOffset
  }

  /** True when models come after this page. An empty page is the last one, whatever `total` says. */
  hasNextPage(): boolean {
    return this.#nextOffset < this.total
  }

  /** The page after this one, or undefined after the last. @throws ModelRunError */
  async getNextPage(): Promise<ModelsPage | undefined> {
    if (!this.hasNextPage()) return undefined
    const { data } = await this.#fetchPage(this.#nextOffset)
    // A service that ignores the offset sends the same page without end.
    return idsOf(data) === idsOf(this) ? undefined : new ModelsPage(data, this.#fetchPage)
  }

  [Symbol.asyncIterator](): AsyncGenerator<ModelSummary, void, undefined> {
    return modelsFrom(this)
  }
}

function idsOf({ models }: Pick<ModelsPage, 'models'>): string {
  return JSON.stringify(models.map(({ id }) => id))
}

/** Awaiting it gives one page; `for await` gives every model of all pages. */
export class ModelsPagePromise extends ApiPromise<ModelsPage> implements AsyncIterable<ModelSummary> {
  /** @internal */
  constructor(fetchPage: FetchPage) {
    super(fetchPage().then((result) => ({ ...result, data: new ModelsPage(result.data, fetchPage) })))
  }

  [Symbol.asyncIterator](): AsyncGenerator<ModelSummary, void, undefined> {
    return modelsFrom(this)
  }
}

async function* modelsFrom(first: ModelsPage | ModelsPagePromise): AsyncGenerator<ModelSummary, void, undefined> {
  let page: ModelsPage | undefined = await first
  while (page !== undefined) {
    yield* page.models
    page = await page.getNextPage()
  }
}
