import { MODEL_CATEGORIES, ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { BlockedError, every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { observeRejection, rejectionOf, rejectionText } from '../judge/responses.ts'
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
interface ModelViews {
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
const plainSlash = defineScenario('plain-slash', { uses: [firstPage] }, async (session) => {
  const list = await session.evidence(firstPage)
  const id = modelsOf(list)
    .map((model) => String(model.id))
    .find((one) => one.includes('/'))
  if (id === undefined) throw new BlockedError('no model on the first page has a slash in its id', list)
  const plain = id.split('/').map(encodeURIComponent).join('/')
  return { id, response: await session.call({ path: `${ROUTES.listModels.path}/${plain}` }) }
})

/** The endpoint without the version in its path. */
const withoutVersion = defineScenario('without-version', {}, (session) =>
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

const isText = (value: unknown) => typeof value === 'string'
const isId = (value: unknown) => isText(value) && value !== ''
const isPrice = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

/** The fields of a model, in the list and in its details (sections 2.1, 2.2 and 4.2). */
export const DETAILS_CHECKS: readonly Check[] = [
  check('details/id', modelViews, (views) => everywhere(views, '/id', isId)),
  check('details/name', modelViews, (views) => everywhere(views, '/name', isText)),
  check('details/description', modelViews, (views) => everywhere(views, '/description', isText)),
  check('details/category', modelViews, (views) => {
    const known: readonly unknown[] = MODEL_CATEGORIES
    return everywhere(views, '/category', (value) => known.includes(value))
  }),
  check('details/provider', modelViews, (views) => everywhere(views, '/provider', isText)),
  check('details/status', modelViews, (views) => everywhere(views, '/status', isText)),
  check('details/credits-per-run', modelViews, (views) => everywhere(views, '/pricing/credits_per_run', isPrice)),
  check('details/status-values', firstPage, (response) => {
    const values = [...new Set(modelsOf(response).map(({ status }) => String(status)))].toSorted()
    return observe(values, `status values in the list: ${show(values)}`, response)
  }),
  check('details/list-without-schema', firstPage, (response) => {
    if (modelsOf(response).length === 0) return skip('there are no models', response)
    const withSchema = modelsOf(response).filter((model) => Object.hasOwn(model, 'input_schema'))
    const ids = withSchema.map(({ id }) => id)
    return judge(ids.length === 0, `list entries with an input_schema: ${show(ids)}; expected none`, response)
  }),
  check('details/same-model', modelViews, ({ views }) =>
    every(
      views.map(({ id, details }) => {
        const received = at(details.json, '/id')
        const isRight = details.status === 200 && received === id
        return judge(isRight, `asked for ${show(id)}, got ${show(received)}`, details)
      }),
      'there are no models',
    ),
  ),
  check('details/same-in-both', modelViews, ({ views }) => every(views.map(agrees), 'there are no models')),
  check('details/with-schema', modelViews, (views) =>
    ofDetails(views, (details) => {
      const schema = at(details.json, '/input_schema')
      return judge(isRecord(schema), `/input_schema is ${show(schema)}; expected an object`, details)
    }),
  ),
  check('details/unknown-is-not-a-model', unknownModel, (response) => {
    const detail = `an unknown id: ${rejectionText(response)}, /id ${show(at(response.json, '/id'))}; expected no model`
    return judge(response.status >= 400, detail, response)
  }),
  check('details/unknown-model', unknownModel, observeRejection),
  check('details/plain-slash', plainSlash, ({ id, response }) => {
    const isServed = response.status === 200 && at(response.json, '/id') === id
    return observe(
      isServed ? 'served' : rejectionOf(response),
      `${id} with a plain slash: ${rejectionText(response)}`,
      response,
    )
  }),
  check('details/without-version', withoutVersion, observeRejection),
]

/** Judges that a model is the same in the list and in its details. */
function agrees({ id, listed, list, details }: ModelView): Finding {
  const pointers = ['/name', '/category', '/provider', '/pricing/credits_per_run']
  const other = pointers.find((pointer) => at(listed, pointer) !== at(details.json, pointer))
  if (other === undefined) return judge(true, `${id} is the same in the list and in its details`, [list, details])
  const values = `${show(at(listed, other))} in the list, ${show(at(details.json, other))} in its details`
  return judge(false, `${other} of ${id} is ${values}`, [list, details])
}

/** Judges a value in the list's entries and in the details. */
function everywhere({ list, views }: ModelViews, pointer: string, isRight: (value: unknown) => boolean): Finding {
  const entries = itemsOf(at(list.json, '/models'))
  const listed = entries.map((entry, index) => {
    const value = at(entry, pointer)
    return judge(isRight(value), `/models/${index}${pointer} is ${show(value)}`, list)
  })
  const detailed = views.map(({ details }) => {
    const value = at(details.json, pointer)
    return judge(isRight(value), `${pointer} is ${show(value)}`, details)
  })
  return every([...listed, ...detailed], 'there are no models')
}

function ofDetails({ views }: ModelViews, judgeOne: (details: ApiResponse) => Finding): Finding {
  return every(
    views.map(({ details }) => judgeOne(details)),
    'there are no models',
  )
}
