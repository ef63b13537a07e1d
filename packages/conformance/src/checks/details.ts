import { ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import { at, isRecord, show } from '../json.ts'
import { BlockedError, judge, observe } from '../judge/finding.ts'
import { observeRejection, rejectionOf, rejectionText } from '../judge/responses.ts'
import { modelsOf } from '../plan/whole-list.ts'
import { firstPage } from './models.ts'

/** Names no model and no job. */
export const UNKNOWN_ID = 'conformance-no-such-id'

const unknownModel = defineScenario('unknown-model', {}, (session) =>
  session.call({ path: routePath(ROUTES.getModel, { id: UNKNOWN_ID }), isOpen: true }),
)

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

/** The properties of a model's input, by name. */
export function propertiesOf(schema: unknown): [string, Record<string, unknown>][] {
  const properties = isRecord(schema) ? schema.properties : undefined
  return isRecord(properties)
    ? Object.entries(properties).flatMap(([name, property]) => (isRecord(property) ? [[name, property]] : []))
    : []
}

/** What the paths of models show beside the models (sections 2.1, 4.2 and 7). */
export const DETAILS_CHECKS: readonly Check[] = [
  check('details/status-values', firstPage, (response) => {
    const values = [...new Set(modelsOf(response).map(({ status }) => String(status)))].toSorted()
    return observe(values, `status values in the list: ${show(values)}`, response)
  }),
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
