import { details, hasCode, type IsWanted, jobOf, list, put } from './edits.ts'
import { after, isFor, type Mutants, type WireRequest } from './mutation.ts'

const isSpeech: IsWanted = ({ json }) => JSON.stringify(json).includes('"category":"text-to-speech"')
const isOfShelf: IsWanted = (_, { url }) => url.pathname.includes('shelf')

/** Gives an unknown model the response of another one. */
function anyModel(change: (model: object, request: WireRequest) => object) {
  return after(async (response, request, { send }) => {
    if (!isFor(request, 'getModel') || response.status !== 404) return
    const other = await send({ ...request, url: new URL('/v1/models/aurora-image', request.url) })
    put('', (model: object) => change(model, request))(other, request)
    Object.assign(response, other)
  })
}

/** The fields of a model in the list and in its details, and its schema. */
export const MODEL_MUTANTS: Mutants = {
  'models/every-entry': {
    'has no id in the list': list.take('/models/*/id'),
    'has null as a name in the list': list.put('/models/0/name', null),
    'has a list of categories': list.put('/models/*/category', (category: string) => [category]),
    'has null as the provider in the list': list.put('/models/*/provider', null),
    'has null as the status in the list': list.put('/models/1/status', null),
    'has the category video in the list': list.put('/models/5/category', 'video'),
    'has no pricing in the list': list.take('/models/*/pricing'),
    'has a number as pricing in the list': list.put('/models/*/pricing', 4),
    'has null as a price in the list': list.put('/models/2/pricing/credits_per_run', null),
    'has a price below 0': list.put('/models/1/pricing/credits_per_run', -1),
    'has a number as the id of a model': list.put('/models/*/id', 7),
    'has no name in the list': list.take('/models/2/name'),
    'has no description in the list': list.take('/models/*/description'),
    'has a boolean as the status of a model': list.put('/models/*/status', true),
    'has a broken price': list.put('/models/*/pricing/credits_per_run', 0.5),
    'lists models with their schema': list.put('/models/*/input_schema', {}),
  },
  'details/same-model': {
    'has a number as the id in the details': details.put('/id', 7),
    'shows ids in capitals in the list': list.put('/models/*/id', (id: string) => id.toUpperCase()),
    'responds 206 to the details': details.where(hasCode(200)).status(206),
    'does not know models with a slash in their id': details
      .where((_, { url }) => url.pathname.includes('%2F'))
      .status(404),
    'responds with another model': details.put('/id', 'aurora-image'),
    'does not know models that it lists': details.status(404),
  },
  'details/every-model': {
    'has an object as a name in the details': details.put('/name', { en: 'Aurora' }),
    'has null as the description in the details': details.put('/description', null),
    'has no description in the details': details.take('/description'),
    'has no category in the details': details.take('/category'),
    'has no provider in the details': details.take('/provider'),
    'has no status in the details': details.take('/status'),
    'has a number as the status in the details': details.put('/status', 1),
    'writes categories with underscores': details.put('/category', (category: string) => category.replaceAll('-', '_')),
    'has no pricing in any details': details.take('/pricing'),
    'has the price as text for one model': details.where(isSpeech).put('/pricing/credits_per_run', '3'),
    'has no name in the details': details.take('/name'),
    'has a category of its own': details.put('/category', 'text-to-poem'),
    'has an object as the provider': details.put('/provider', { name: 'Lumen' }),
    'has the price as text': details.put('/pricing/credits_per_run', '4'),
    'has the price beside pricing': details.edit(put('/pricing', undefined), put('/credits_per_run', 4)),
  },
  'details/same-in-both': {
    'shows another price of models that are only listed': details.where(isOfShelf).put('/pricing/credits_per_run', 99),
    'has another name in the details': details.put('/name', (name: string) => `${name} v2`),
    'has another category in the details': details.put('/category', 'text-to-image'),
    'has another provider in the details': details.put('/provider', 'Another'),
    'has another price in the list than in the details': list.put(
      '/models/*/pricing/credits_per_run',
      (price: number) => price + 1,
    ),
  },
  'details/with-schema': {
    'has no schema of models that are only listed': details.where(isOfShelf).take('/input_schema'),
    'wraps the details': details.put('', (model: unknown) => ({ model })),
    'has no schema for speech': details.where(isSpeech).take('/input_schema'),
    'has null as the schema': details.where(isSpeech).put('/input_schema', null),
    'has the schema as text': details.where(isSpeech).put('/input_schema', (schema: unknown) => JSON.stringify(schema)),
    'has the schema under inputs': details.put('', ({ input_schema: inputs, ...model }: Record<string, unknown>) => ({
      ...model,
      inputs,
    })),
    'has no schema in the details': details.take('/input_schema'),
  },
  'details/unknown-is-not-a-model': {
    'responds to an unknown id with another model': anyModel((model) => model),
    'makes up a model for every id': anyModel((model, request) => ({ ...model, id: jobOf(request) })),
    'responds to an unknown id with 200 and null': details
      .where(hasCode(404))
      .edit((response) => void Object.assign(response, { status: 200, json: null })),
  },
  'schemas/type': {
    'has no type of the schema': details.take('/input_schema/type'),
    'has the type of a schema in capitals': details.where(isSpeech).put('/input_schema/type', 'Object'),
    'has a schema of another type': details.put('/input_schema/type', 'array'),
  },
  'schemas/properties': {
    'has null as properties': details.put('/input_schema/properties', null),
    'has no properties': details.take('/input_schema/properties'),
    'has a text as a property': details.put('/input_schema/properties/prompt', 'string'),
    'lists the properties': details.put('/input_schema/properties', []),
  },
  'schemas/required': {
    'has a text as required': details.put('/input_schema/required', 'prompt'),
    'has a map as required': details.put('/input_schema/required', { prompt: true }),
    'requires numbers': details.where(isSpeech).put('/input_schema/required', [0]),
    'requires an unknown parameter': details.put('/input_schema/required', ['text_prompt']),
    'has a boolean as required': details.put('/input_schema/required', true),
  },
  'schemas/property-strings': {
    'has a number as a description': details.put('/input_schema/properties/*/description', 1),
    'has a number as a type': details.put('/input_schema/properties/*/type', 1),
    'has numbers as types': details.put('/input_schema/properties/*/type', [1]),
  },
  'schemas/property-enum': {
    'has a map as an enum': details.put('/input_schema/properties/image_size/enum', { square: true }),
    'has an empty enum': details.put('/input_schema/properties/image_size/enum', []),
    'has a text as enum': details.put('/input_schema/properties/image_size/enum', 'square|hd'),
  },
  'schemas/property-bounds': {
    'has a minimum as text': details.put('/input_schema/properties/num_images/minimum', '1'),
    'has null as a maximum': details.put('/input_schema/properties/num_images/maximum', null),
    'has a text as maximum': details.put('/input_schema/properties/num_images/maximum', '4'),
  },
}
