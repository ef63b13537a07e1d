import { instead } from './edits.ts'
import { editResponses, type Edit, isFor, sentenceMutant, type Mutant, put, status, take, when } from './mutation.ts'

const MODEL = '2.1: the fields of a model, each with its type'
const PRICE = '2.1: pricing holds credits_per_run, an integer'
const ONE = '2.1: the list and the details show the same model'
const SCHEMA = '2.3: input_schema has type, properties and required'
const PROPERTY = '2.3: a property description may hold type, description, enum, default, minimum, maximum'
const DETAILS = '4.2: the response (200) is the model object of that id, with input_schema'

const listed = (...edits: Edit[]) => editResponses('listModels', ...edits)
const details = (...edits: Edit[]) => editResponses('getModel', ...edits)
const schema = (pointer: string, value: unknown) => details(put(`/input_schema${pointer}`, value))
const isOf =
  (category: string): Parameters<typeof when>[0] =>
  ({ json }) =>
    JSON.stringify(json).includes(`"category":"${category}"`)
const isSpeech = isOf('text-to-speech')

/** Answers an unknown model like another one. */
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
export const MODEL_MUTANTS: readonly Mutant[] = [
  sentenceMutant(MODEL, 'has no id in the list', listed(take('/models/*/id'))),
  sentenceMutant(MODEL, 'has a number as the id in the details', details(put('/id', 7))),
  sentenceMutant(MODEL, 'has null as a name in the list', listed(put('/models/0/name', null))),
  sentenceMutant(MODEL, 'has an object as a name in the details', details(put('/name', { en: 'Aurora' }))),
  sentenceMutant(MODEL, 'has null as the description in the details', details(put('/description', null))),
  sentenceMutant(MODEL, 'has no description in the details', details(take('/description'))),
  sentenceMutant(MODEL, 'has a list of categories', listed(put('/models/*/category', (category: string) => [category]))),
  sentenceMutant(MODEL, 'has no category in the details', details(take('/category'))),
  sentenceMutant(MODEL, 'has no provider in the details', details(take('/provider'))),
  sentenceMutant(MODEL, 'has null as the provider in the list', listed(put('/models/*/provider', null))),
  sentenceMutant(MODEL, 'has no status in the details', details(take('/status'))),
  sentenceMutant(MODEL, 'has null as the status in the list', listed(put('/models/1/status', null))),
  sentenceMutant(MODEL, 'has a number as the status in the details', details(put('/status', 1))),
  sentenceMutant(
    '2.2: a category is one of five',
    'has the category video in the list',
    listed(put('/models/5/category', 'video')),
  ),
  sentenceMutant(
    '2.2: a category is one of five',
    'writes categories with underscores',
    details(put('/category', (category: string) => category.replaceAll('-', '_'))),
  ),
  sentenceMutant(PRICE, 'has no pricing in the list', listed(take('/models/*/pricing'))),
  sentenceMutant(PRICE, 'has a number as pricing in the list', listed(put('/models/*/pricing', 4))),
  sentenceMutant(PRICE, 'has null as a price in the list', listed(put('/models/2/pricing/credits_per_run', null))),
  sentenceMutant(PRICE, 'has a price below 0', listed(put('/models/1/pricing/credits_per_run', -1))),
  sentenceMutant(PRICE, 'has the price as text for one model', details(when(isSpeech, put('/pricing/credits_per_run', '3')))),
  sentenceMutant(ONE, 'has another name in the details', details(put('/name', (name: string) => `${name} v2`))),
  sentenceMutant(ONE, 'has another category in the details', details(put('/category', 'text-to-image')), 'details/same-in-both'),
  sentenceMutant(ONE, 'has another provider in the details', details(put('/provider', 'Somebody'))),
  sentenceMutant(
    ONE,
    'has another price in the list than in the details',
    listed(put('/models/*/pricing/credits_per_run', (price: number) => price + 1)),
  ),
  sentenceMutant(ONE, 'shows ids in capitals in the list', listed(put('/models/*/id', (id: string) => id.toUpperCase()))),
  sentenceMutant(DETAILS, 'responds 206 to the details', details(when(({ status: code }) => code === 200, status(206)))),
  sentenceMutant(DETAILS, 'wraps the details', details(put('', (model: unknown) => ({ model })))),
  sentenceMutant(DETAILS, 'responds to an unknown id with another model', anyModel(undefined)),
  sentenceMutant(DETAILS, 'makes up a model for every id', anyModel('its own')),
  sentenceMutant(
    DETAILS,
    'responds to an unknown id with 200 and null',
    details(when(({ status: code }) => code === 404, status(200), put('', null))),
    'details/unknown-is-not-a-model',
  ),
  sentenceMutant(
    DETAILS,
    'does not know models with a slash in their id',
    details(when((_, { url }) => url.pathname.includes('%2F'), status(404))),
  ),
  sentenceMutant(DETAILS, 'has no schema for speech', details(when(isSpeech, take('/input_schema')))),
  sentenceMutant(DETAILS, 'has null as the schema', details(when(isSpeech, put('/input_schema', null)))),
  sentenceMutant(DETAILS, 'has the schema as text', details(when(isSpeech, put('/input_schema', JSON.stringify)))),
  sentenceMutant(
    DETAILS,
    'has the schema under inputs',
    details(put('', ({ input_schema: inputs, ...model }: Record<string, unknown>) => ({ ...model, inputs }))),
  ),
  sentenceMutant(SCHEMA, 'has no type of the schema', schema('/type', undefined)),
  sentenceMutant(SCHEMA, 'has the type of a schema in capitals', details(when(isSpeech, put('/input_schema/type', 'Object')))),
  sentenceMutant(SCHEMA, 'has null as properties', schema('/properties', null)),
  sentenceMutant(SCHEMA, 'has no properties', schema('/properties', undefined)),
  sentenceMutant(SCHEMA, 'has a text as a property', schema('/properties/prompt', 'string')),
  sentenceMutant(SCHEMA, 'has a text as required', schema('/required', 'prompt')),
  sentenceMutant(SCHEMA, 'has a map as required', schema('/required', { prompt: true })),
  sentenceMutant(SCHEMA, 'requires numbers', details(when(isSpeech, put('/input_schema/required', [0])))),
  sentenceMutant(PROPERTY, 'has a number as a description', schema('/properties/*/description', 1)),
  sentenceMutant(PROPERTY, 'has a number as a type', schema('/properties/*/type', 1)),
  sentenceMutant(PROPERTY, 'has a map as an enum', schema('/properties/image_size/enum', { square: true })),
  sentenceMutant(PROPERTY, 'has a minimum as text', schema('/properties/num_images/minimum', '1')),
  sentenceMutant(PROPERTY, 'has null as a maximum', schema('/properties/num_images/maximum', null)),
  sentenceMutant(PROPERTY, 'has an empty enum', schema('/properties/image_size/enum', [])),
]
