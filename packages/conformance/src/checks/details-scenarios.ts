import { ROUTES, routePath } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isRecord } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { Session } from '../session/session.ts'
import { firstPage, modelsOf } from './models-scenarios.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** A model as the list has it and as its own URL returns it. */
export interface ModelView {
  id: string
  listed: Record<string, unknown>
  list: ApiResponse
  details: ApiResponse
}

/** The models that were read, and the list that they were taken from. */
export interface ModelViews {
  list: ApiResponse
  views: readonly ModelView[]
}

/** So many models are read one by one. */
const MAX_MODELS = 8

/** The details of some listed models, of different categories first. */
export const modelViews = defineScenario('model-views', { uses: [firstPage] }, async (session) => {
  const list = await session.evidence(firstPage)
  const views: ModelView[] = []
  for (const listed of variety(modelsOf(list))) {
    const id = String(listed.id)
    views.push({ id, listed, list, details: await readModel(session, id) })
  }
  return { list, views }
})

export const unknownModel = defineScenario('unknown-model', {}, (session) => readModel(session, UNKNOWN_ID))

/** A model whose id holds a slash, with the slash as it is. */
export const plainSlash = defineScenario('plain-slash', { uses: [firstPage] }, async (session) => {
  const list = await session.evidence(firstPage)
  const id = modelsOf(list)
    .map((model) => String(model.id))
    .find((one) => one.includes('/'))
  if (id === undefined) throw new BlockedError('no model on the first page has a slash in its id', list)
  const plain = id.split('/').map(encodeURIComponent).join('/')
  return { id, response: await session.call({ path: `${ROUTES.listModels.path}/${plain}` }) }
})

/** The endpoint without the version in its path. */
export const withoutVersion = defineScenario('without-version', {}, (session) =>
  session.call({ path: ROUTES.listModels.path.replace(/^\/v1/, '') }),
)

function readModel(session: Session, id: string): Promise<ApiResponse> {
  return session.call({ path: routePath(ROUTES.getModel, { id }) })
}

function variety(models: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const usable = models.filter(({ id }) => typeof id === 'string' && id !== '' && id !== '.' && id !== '..')
  const firsts = usable.filter((model, index) => index === usable.findIndex((one) => one.category === model.category))
  return [...new Set([...firsts, ...usable])].slice(0, MAX_MODELS)
}

/** The properties of a model's input, by name. */
export function propertiesOf(schema: unknown): [string, Record<string, unknown>][] {
  const properties = isRecord(schema) ? schema.properties : undefined
  return isRecord(properties)
    ? Object.entries(properties).flatMap(([name, property]) => (isRecord(property) ? [[name, property]] : []))
    : []
}
