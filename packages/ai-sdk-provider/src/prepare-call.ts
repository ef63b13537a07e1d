import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { reject } from './errors.ts'
import { type ModelKind, modelReader, type ReadModel } from './model-reader.ts'
import type { ResolvedOptions } from './options.ts'
import { toInputs } from './to-input.ts'

/** What all models of a provider share. */
export interface ProviderContext {
  options: ResolvedOptions
  readModel: ReadModel
}

export function createContext(options: ResolvedOptions): ProviderContext {
  return { options, readModel: modelReader(options.client) }
}

/** Which model a call is of. */
export interface Wanted {
  modelId: string
  kind: ModelKind
}

/** The options of a call: those of all kinds, and settings. */
export interface CallOptions {
  /** How many files. Default 1. */
  n?: number
  providerOptions?: SharedV4ProviderOptions | undefined
  abortSignal?: AbortSignal | undefined
  headers?: Record<string, string | undefined> | undefined
}

/** A call whose runs can be sent. */
export type PreparedCall = Awaited<ReturnType<typeof prepareCall>>

/** Reads the model and makes the inputs. Nothing is paid. @throws NoSuchModelError, InvalidArgumentError */
export async function prepareCall(
  { options: { durable }, readModel }: ProviderContext,
  { modelId, kind }: Wanted,
  { n: count = 1, providerOptions, abortSignal: signal, headers: given = {}, ...settings }: CallOptions,
) {
  const own = providerOptions?.modelrun ?? {}
  const { maxCredits, webhookContext: context, ...parameters } = own
  const isKey = (name: string) => name.toLowerCase() === 'idempotency-key'
  const [, key = ''] = Object.entries(given).find(([name]) => isKey(name)) ?? []
  const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !isKey(name)))
  if (durable && key === '') {
    reject(
      'headers',
      "a call of a durable provider needs a name, by which its result is found again: pass headers: { 'idempotency-key': 'poster-17' }.",
    )
  }
  const model = await readModel(modelId, kind)
  // The options of single runs are not for runs of a batch: they are rejected as parameters that do not exist.
  const { inputs, warnings } = await toInputs(model, settings, { parameters: durable ? own : parameters, count })
  const lost = Object.keys(headers).filter((name) => durable && name.toLowerCase() !== 'user-agent')
  if (lost.length > 0) {
    const details = `The batch sends its runs without ${lost.join(', ')}: set headers in the options of its client.`
    warnings.push({ type: 'unsupported', feature: 'headers', details })
  }
  // Names of the runs in a batch. The service has no such keys.
  const keys = inputs.map((_, index) => (index === 0 ? key : `${key}/${index + 1}`))
  // The AI SDK repeats a call as often as its `maxRetries` says. It cannot repeat one run of several: the client does.
  const maxRetries = inputs.length === 1 ? 0 : undefined
  // The client checks the type.
  const send = { signal, headers, maxCredits: maxCredits as number | undefined, context, maxRetries }
  return { model, inputs, keys, warnings, send }
}
