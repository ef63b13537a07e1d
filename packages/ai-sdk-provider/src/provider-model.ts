import { UnsupportedFunctionalityError } from '@ai-sdk/provider'
import { type PlainOptions, resolveOptions } from './options.ts'
import { createContext, type ProviderContext } from './prepare-call.ts'

/** Names of the two functions by which the Workflow SDK passes a model from one step to another. */
export const WORKFLOW_SERIALIZE: unique symbol = Symbol.for('workflow-serialize')
export const WORKFLOW_DESERIALIZE: unique symbol = Symbol.for('workflow-deserialize')

/** A model as JSON. It holds no key: the other process has its own in `MODELRUN_API_KEY`. */
export interface SerializedModel {
  modelId: string
  options: Partial<PlainOptions>
}

/** What models of all kinds have. */
export abstract class ProviderModel {
  readonly specificationVersion: 'v4'
  readonly modelId: string
  // It gives access to the API key. Private fields are not printed by console.log and JSON.stringify.
  readonly #context: ProviderContext

  constructor(context: ProviderContext, modelId: string) {
    this.#context = context
    this.modelId = modelId
    // Models of `v3` have the same shape.
    this.specificationVersion = context.options.specificationVersion as 'v4'
  }

  protected get context(): ProviderContext {
    return this.#context
  }

  /** @throws UnsupportedFunctionalityError when the provider has a client, a batch or an inbox, which would be lost */
  protected static serialize({ modelId, context }: ProviderModel): SerializedModel {
    const options = context.options.plain
    if (options !== undefined) return { modelId, options }
    const message = `The model ${modelId} has a \`client\`, \`durable\` or \`webhook\`: create it in the step that uses it.`
    throw new UnsupportedFunctionalityError({ functionality: 'serialize', message })
  }

  protected static deserialize({ modelId, options }: SerializedModel): [ProviderContext, string] {
    return [createContext(resolveOptions(options)), modelId]
  }
}

/** The AI SDK would split a call for more files than this into several, and lose what was paid when one of them fails. */
export const FILES_PER_CALL = 1_000

export function responseOf(modelId: string) {
  return { timestamp: new Date(), modelId, headers: undefined }
}
