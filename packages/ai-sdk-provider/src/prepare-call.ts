import type { ImageModelV4CallOptions } from '@ai-sdk/provider'
import { unlessAborted } from './abort.ts'
import { reject, servicePath } from './errors.ts'
import type { ModelKind } from './model-reader.ts'
import type { ResolvedOptions } from './options.ts'
import { toInputs } from './to-input.ts'

/** The AI SDK would split a call for more files than this into several, and lose what was paid when one of them fails. */
export const FILES_PER_CALL = 1_000

const NOT_READ = /^(model[\W_]*run|max_?credits?|webhook_?context)$/i
const READ =
  'The options of a run are `modelrun: { maxCredits, webhookContext }`, and those of a batch are in `createRuns`.'

export interface Wanted {
  modelId: string
  kind: ModelKind
}

/** The options of a call: those of all kinds, and settings. `n` is how many files, by default 1. */
export type CallOptions = Partial<Pick<ImageModelV4CallOptions, 'n' | 'providerOptions' | 'abortSignal' | 'headers'>>

export type PreparedCall = Awaited<ReturnType<typeof prepare>>

/** Reads the model and makes the inputs. Nothing is paid. @throws NoSuchModelError, InvalidArgumentError */
export function prepareCall(options: ResolvedOptions, wanted: Wanted, call: CallOptions): Promise<PreparedCall> {
  return unlessAborted(prepare(options, wanted, call), call.abortSignal)
}

async function prepare(
  { client, deadlineMs, durable, readModel }: ResolvedOptions,
  { modelId, kind }: Wanted,
  { n: count = 1, providerOptions, abortSignal: signal, headers: all = {}, ...settings }: CallOptions,
) {
  const named = Object.entries(providerOptions?.modelrun ?? {})
  // The value of a variable that is not set.
  const own = Object.fromEntries(named.filter(([, value]) => value !== undefined))
  const { maxCredits, webhookContext: context, ...parameters } = own
  const lowerCase = Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])
  const { 'idempotency-key': key = '', ...headers }: typeof all = Object.fromEntries(lowerCase)
  if (durable && key === '') {
    reject(
      'headers',
      "a call of a durable provider needs a name, by which its result is found again: pass headers: { 'idempotency-key': 'poster-17' }.",
    )
  }
  const { clock } = client()
  const endsAt = clock.now() + deadlineMs
  const model = await readModel(modelId, kind)
  // A limit that is ignored costs credits. The options of single runs are not for runs of a batch.
  const read = ['modelrun', ...Object.keys(model.input_schema.properties)]
  const given = Object.keys({ ...providerOptions, ...(durable ? own : parameters) })
  const lost = given.find((name) => NOT_READ.test(name) && !read.includes(name))
  if (lost !== undefined) reject(`providerOptions ${lost}`, `nothing reads it. ${READ}`)
  const { inputs, warnings } = await toInputs(model, settings, { parameters: durable ? own : parameters, count })
  const unsent = Object.keys(headers).filter((name) => durable && name !== 'user-agent')
  if (unsent.length > 0) {
    const details = `The batch sends its runs without ${unsent.join(', ')}: set headers in the options of its client.`
    warnings.push({ type: 'unsupported', feature: 'headers', details })
  }
  // The keys are for a batch. The service has none.
  const items = inputs.map((input, index) => ({ key: index === 0 ? key : `${key}/${index + 1}`, input }))
  // The AI SDK repeats a call as often as its `maxRetries` says. It cannot repeat one run of several: the client does.
  const maxRetries = items.length === 1 ? 0 : undefined
  // The client checks the type.
  const send = { signal, headers, maxCredits: maxCredits as number | undefined, context, maxRetries }
  const msLeft = () => Math.max(1, Math.ceil(endsAt - clock.now()))
  return { model, items, warnings, send, msLeft, url: servicePath('models', model.id, 'run') }
}
