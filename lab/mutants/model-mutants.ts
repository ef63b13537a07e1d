import { instead } from './edits.ts'
import { type Edit, edited, isFor, mutants, put, status, take, when } from './mutation.ts'

const MODEL = '2.1: the fields of a model, each with its type'
const PRICE = '2.1: pricing holds credits_per_run, an integer'
const ONE = '2.1: the list and the details show the same model'
const SCHEMA = '2.3: input_schema has type, properties and required'
const PROPERTY = '2.3: a property description may hold type, description, enum, default, minimum, maximum'
const DETAILS = '4.2: the response (200) is the model object of that id, with input_schema'

const listed = (...edits: Edit[]) => edited('listModels', ...edits)
const details = (...edits: Edit[]) => edited('getModel', ...edits)
const schema = (pointer: string, value: unknown) => details(put(`/input_schema${pointer}`, value))
const isOf =
  (category: string): Parameters<typeof when>[0] =>
  ({ json }) =>
    JSON.stringify(json).includes(`"category":"${category}"`)
const isSpeech = isOf('text-to-speech')

/** Gives an unknown model the response of another one. */
function anyModel(id: string | undefined) {
  return instead(
    (request) => isFor(request, 'getModel'),
    async (request, send) => {
      const response = await send(request)
      if (response.status !== 404) return response
      const url = new URL(request.url)
      url.pathname = '/v1/models/aurora-image'
      const other = await send({ ...request, url })
      if (id !== undefined) put('/id', decodeURIComponent(request.url.pathname.split('/').at(-1) ?? ''))(other, request)
      return other
    },
  )
}

/** The fields of a model in the list and in its details, and its schema. */
export const MODEL_MUTANTS = mutants([
  [MODEL, 'has no id in the list', listed(take('/models/*/id'))],
  [MODEL, 'has a number as the id in the details', details(put('/id', 7))],
  [MODEL, 'has null as a name in the list', listed(put('/models/0/name', null))],
  [MODEL, 'has an object as a name in the details', details(put('/name', { en: 'Aurora' }))],
  [MODEL, 'has null as the description in the details', details(put('/description', null))],
  [MODEL, 'has no description in the details', details(take('/description'))],
  [MODEL, 'has a list of categories', listed(put('/models/*/category', (category: string) => [category]))],
  [MODEL, 'has no category in the details', details(take('/category'))],
  [MODEL, 'has no provider in the details', details(take('/provider'))],
  [MODEL, 'has null as the provider in the list', listed(put('/models/*/provider', null))],
  [MODEL, 'has no status in the details', details(take('/status'))],
  [MODEL, 'has null as the status in the list', listed(put('/models/1/status', null))],
  [MODEL, 'has a number as the status in the details', details(put('/status', 1))],
  ['2.2: a category is one of five', 'has the category video in the list', listed(put('/models/5/category', 'video'))],
  [
    '2.2: a category is one of five',
    'writes categories with underscores',
    details(put('/category', (category: string) => category.replaceAll('-', '_'))),
  ],
  [PRICE, 'has no pricing in the list', listed(take('/models/*/pricing'))],
  [PRICE, 'has no pricing in any details', details(take('/pricing')), 'details/every-model'],
  [PRICE, 'has a number as pricing in the list', listed(put('/models/*/pricing', 4))],
  [PRICE, 'has null as a price in the list', listed(put('/models/2/pricing/credits_per_run', null))],
  [PRICE, 'has a price below 0', listed(put('/models/1/pricing/credits_per_run', -1))],
  [PRICE, 'has the price as text for one model', details(when(isSpeech, put('/pricing/credits_per_run', '3')))],
  [ONE, 'has another name in the details', details(put('/name', (name: string) => `${name} v2`))],
  [ONE, 'has another category in the details', details(put('/category', 'text-to-image')), 'details/same-in-both'],
  [ONE, 'has another provider in the details', details(put('/provider', 'Another'))],
  [
    ONE,
    'has another price in the list than in the details',
    listed(put('/models/*/pricing/credits_per_run', (price: number) => price + 1)),
  ],
  [ONE, 'shows ids in capitals in the list', listed(put('/models/*/id', (id: string) => id.toUpperCase()))],
  [DETAILS, 'responds 206 to the details', details(when(({ status: code }) => code === 200, status(206)))],
  [DETAILS, 'wraps the details', details(put('', (model: unknown) => ({ model })))],
  [DETAILS, 'responds to an unknown id with another model', anyModel(undefined)],
  [DETAILS, 'makes up a model for every id', anyModel('its own')],
  [
    DETAILS,
    'responds to an unknown id with 200 and null',
    details(when(({ status: code }) => code === 404, status(200), put('', null))),
    'details/unknown-is-not-a-model',
  ],
  [
    DETAILS,
    'does not know models with a slash in their id',
    details(when((_, { url }) => url.pathname.includes('%2F'), status(404))),
  ],
  [DETAILS, 'has no schema for speech', details(when(isSpeech, take('/input_schema')))],
  [DETAILS, 'has null as the schema', details(when(isSpeech, put('/input_schema', null)))],
  [DETAILS, 'has the schema as text', details(when(isSpeech, put('/input_schema', JSON.stringify)))],
  [
    DETAILS,
    'has the schema under inputs',
    details(put('', ({ input_schema: inputs, ...model }: Record<string, unknown>) => ({ ...model, inputs }))),
  ],
  [SCHEMA, 'has no type of the schema', schema('/type', undefined)],
  [SCHEMA, 'has the type of a schema in capitals', details(when(isSpeech, put('/input_schema/type', 'Object')))],
  [SCHEMA, 'has null as properties', schema('/properties', null)],
  [SCHEMA, 'has no properties', schema('/properties', undefined)],
  [SCHEMA, 'has a text as a property', schema('/properties/prompt', 'string')],
  [SCHEMA, 'has a text as required', schema('/required', 'prompt')],
  [SCHEMA, 'has a map as required', schema('/required', { prompt: true })],
  [SCHEMA, 'requires numbers', details(when(isSpeech, put('/input_schema/required', [0])))],
  [PROPERTY, 'has a number as a description', schema('/properties/*/description', 1)],
  [PROPERTY, 'has a number as a type', schema('/properties/*/type', 1)],
  [PROPERTY, 'has a map as an enum', schema('/properties/image_size/enum', { square: true })],
  [PROPERTY, 'has a minimum as text', schema('/properties/num_images/minimum', '1')],
  [PROPERTY, 'has null as a maximum', schema('/properties/num_images/maximum', null)],
  [PROPERTY, 'has an empty enum', schema('/properties/image_size/enum', [])],
])
