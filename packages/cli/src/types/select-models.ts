import { closestName } from '@modelrun/kit'
import type { Model } from 'modelrun'
import { type FoundIds, findIds } from './find-ids.ts'
import { printable } from './foreign-text.ts'
import { readIds, readModels } from './read-models.ts'
import type { TypesIo, TypesOptions } from './types-options.ts'

/** Places of one id that are shown. */
const MAX_PLACES = 3

/** The ids that the options name, or that the program has; it says which and where. */
export async function selectIds({ ids, all }: Pick<TypesOptions, 'ids' | 'all'>, io: TypesIo): Promise<string[]> {
  if (ids.length > 0) return [...new Set(ids)]
  const catalog = await readIds(io.client)
  if (all) return [...catalog]
  const found = await findIds(io.readSources(), catalog)
  const described = describeFound(found, catalog)
  if (described !== '') io.stderr(described)
  return [...found.used.keys()]
}

/** The models that the options ask for; undefined when some are missing, which it says. */
export async function selectModels(options: TypesOptions, io: TypesIo): Promise<Model[] | undefined> {
  const ids = await selectIds(options, io)
  if (ids.length === 0) {
    io.stderr('No model id of the catalog is in the sources. Name the models: modelrun types <id>…, or --all.\n')
    return undefined
  }
  const models = await readModels(io.client, ids)
  const missing = ids.filter((id) => models.get(id) === undefined)
  if (missing.length > 0) await explainMissing(missing, io)
  return missing.length > 0 ? undefined : [...models.values()].filter((model) => model !== undefined)
}

/** Says of each id that there is no such model, and which one was probably meant. */
export async function explainMissing(missing: readonly string[], io: TypesIo): Promise<void> {
  const catalog = await readIds(io.client)
  for (const id of missing) io.stderr(`There is no model ${printable(id)}${hint(id, catalog)}\n`)
}

function describeFound({ used, unknown }: FoundIds, catalog: ReadonlySet<string>): string {
  const lines = [...used].map(([id, places]) => {
    const more = places.length > MAX_PLACES ? `, and ${places.length - MAX_PLACES} more` : ''
    return `${printable(id)}  ${places.slice(0, MAX_PLACES).map(printable).join(', ')}${more}\n`
  })
  // A call of another `run` has an argument that is like no id.
  const mistakes = unknown
    .filter(({ id }) => closestName(id, catalog) !== undefined)
    .map(({ id, place }) => `${printable(place)}: there is no model ${printable(id)}${hint(id, catalog)}\n`)
  return [...lines, ...mistakes].join('')
}

function hint(id: string, catalog: Iterable<string>): string {
  const closest = closestName(id, catalog)
  return closest === undefined ? '.' : `; did you mean ${printable(closest)}?`
}
