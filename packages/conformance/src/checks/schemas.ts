import { type Check, check } from '../check.ts'
import { at, isRecord, show } from '../json.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { type ModelView, modelViews, propertiesOf } from './details.ts'

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isText = (value: unknown) => typeof value === 'string'
/** "JSON-schema-like": JSON Schema has one type, or a list of them. */
const isType = (value: unknown) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText))

/** The description of a model's input (section 2.3). */
export const SCHEMAS_CHECKS: readonly Check[] = [
  check('schemas/type', modelViews, ({ views }) =>
    ofSchema(views, (schema) => [at(schema, '/type') === 'object', `type is ${show(at(schema, '/type'))}`]),
  ),
  check('schemas/properties', modelViews, ({ views }) =>
    ofSchema(views, (schema) => {
      const properties = at(schema, '/properties')
      const isRight = isRecord(properties) && Object.values(properties).every(isRecord)
      return [isRight, `properties is ${show(properties)}; expected a map of objects`]
    }),
  ),
  check('schemas/required', modelViews, ({ views }) =>
    ofSchema(views, (schema) => {
      const required = at(schema, '/required')
      if (required === undefined) return undefined
      const names: unknown[] = propertiesOf(schema).map(([name]) => name)
      const isRight = Array.isArray(required) && required.every((name) => names.includes(name))
      return [isRight, `required is ${show(required)}; expected names of properties`]
    }),
  ),
  check('schemas/property-texts', modelViews, ({ views }) =>
    every([ofProperty(views, 'type', isType), ofProperty(views, 'description', isText)], NONE),
  ),
  check('schemas/property-enum', modelViews, ({ views }) =>
    ofProperty(views, 'enum', (value) => Array.isArray(value) && value.length > 0),
  ),
  check('schemas/property-bounds', modelViews, ({ views }) =>
    every([ofProperty(views, 'minimum', isNumber), ofProperty(views, 'maximum', isNumber)], NONE),
  ),
  check('schemas/property-default', modelViews, ({ views }) => {
    const unexpected = everyProperty(views, 'default').filter((view) => !defaultFits(view.property))
    const names = unexpected.map(({ id, name }) => `${id} ${name}`)
    const proof = views.map(({ details }) => details)
    return observe(names, `defaults that break the rules of their parameter: ${show(names)}`, proof)
  }),
]

const NONE = 'no model that was read has one'

function ofSchema(
  views: readonly ModelView[],
  judgeSchema: (schema: unknown) => [boolean, string] | undefined,
): Finding {
  return every(
    views.map(({ id, details }) => {
      const judged = judgeSchema(at(details.json, '/input_schema'))
      if (judged === undefined) return skip(`${id}: there is no such member`, details)
      const [isRight, detail] = judged
      return judge(isRight, `${id}: ${detail}`, details)
    }),
    'there are no models',
  )
}

interface PropertyView extends ModelView {
  name: string
  property: Record<string, unknown>
}

/** The properties that have a member. */
function everyProperty(views: readonly ModelView[], member: string): PropertyView[] {
  return views.flatMap((view) =>
    propertiesOf(at(view.details.json, '/input_schema'))
      .filter(([, property]) => Object.hasOwn(property, member))
      .map(([name, property]) => ({ ...view, name, property })),
  )
}

function ofProperty(views: readonly ModelView[], member: string, isRight: (value: unknown) => boolean): Finding {
  const findings = everyProperty(views, member).map(({ id, name, property, details }) =>
    judge(isRight(property[member]), `${id}: ${member} of ${name} is ${show(property[member])}`, details),
  )
  return every(findings, NONE)
}

/** Whether a default keeps the other rules of its parameter. */
function defaultFits({ default: value, enum: allowed, minimum, maximum }: Record<string, unknown>): boolean {
  const isAllowed = !Array.isArray(allowed) || allowed.includes(value)
  const isBigEnough = typeof minimum !== 'number' || Number(value) >= minimum
  const isSmallEnough = typeof maximum !== 'number' || Number(value) <= maximum
  return isAllowed && isBigEnough && isSmallEnough
}
