import type { InputSchema } from '@modelrun/contract'
import type { Middleware } from '../http/middleware.ts'
import { readBody } from '../http/read-response.ts'
import { schemaHash } from './schema-hash.ts'

/** Options of {@link warnOfChangedModels}. */
export interface ChangedModelsOptions {
  /** Gets each warning. Default `console.warn`. */
  warn?: ((message: string) => void) | undefined
}

/**
 * Warns, once a model, when its schema is not the one that the types of the program were made from. The comparison takes
 * place where the client reads the model anyway: for `validateInput`, `maxCredits` and `models.get`. It sends no request and delays none.
 *
 * @example
 * import { modelHashes } from './modelrun.models.ts' // by `modelrun types --out modelrun.models.ts`
 *
 * const client = new ModelRun({ middleware: [warnOfChangedModels(modelHashes)] })
 *
 * @param hashes The hash of each model's schema, by its id
 */
export function warnOfChangedModels(
  hashes: Readonly<Record<string, string>>,
  { warn = (message) => console.warn(message) }: ChangedModelsOptions = {},
): Middleware {
  // A model leaves when it was warned of.
  const watched = new Map(Object.entries(hashes))

  async function compare(response: Response, signal: AbortSignal): Promise<void> {
    // Not `json()`: the body of a broken service may have no end.
    const { text } = await readBody(response, signal)
    // What is not a model throws below.
    const { id, input_schema: schema } = JSON.parse(text) as { id: string; input_schema: InputSchema }
    const declared = watched.get(id)
    if (declared === undefined || (await schemaHash(schema)) === declared || !watched.delete(id)) return
    warn(
      `modelrun: the input schema of ${id} has changed since its types were made. Run \`modelrun types --check\` to see what changed.`,
    )
  }

  return async (request, next, { method, path }) => {
    const response = await next(request)
    const isModel = method === 'GET' && response.ok && /^\/v1\/models\/./.test(path)
    // A response that is not a model is reported by the client, which reads the same.
    if (isModel && watched.size > 0) compare(response.clone(), request.signal).catch(() => {})
    return response
  }
}
