import { edited, mutants, put, status, take } from './mutation.ts'

const schema = (edit: ReturnType<typeof put>) => edited('getModel', edit)

/** The fields of models, and their schemas. */
export const DETAILS_MUTANTS = mutants([
  ['models/every-entry', 'has a number as the id of a model', edited('listModels', put('/models/*/id', 7))],
  ['details/every-model', 'has no name in the details', edited('getModel', take('/name'))],
  ['models/every-entry', 'has no name in the list', edited('listModels', take('/models/2/name'))],
  ['models/every-entry', 'has no description in the list', edited('listModels', take('/models/*/description'))],
  ['details/every-model', 'has a category of its own', edited('getModel', put('/category', 'text-to-poem'))],
  ['details/every-model', 'has an object as the provider', edited('getModel', put('/provider', { name: 'Lumen' }))],
  ['models/every-entry', 'has a boolean as the status of a model', edited('listModels', put('/models/*/status', true))],
  ['details/every-model', 'has the price as text', edited('getModel', put('/pricing/credits_per_run', '4'))],
  ['models/every-entry', 'has a broken price', edited('listModels', put('/models/*/pricing/credits_per_run', 0.5))],
  [
    'details/every-model',
    'has the price beside pricing',
    edited('getModel', take('/pricing'), put('/credits_per_run', 4)),
  ],
  ['models/every-entry', 'lists models with their schema', edited('listModels', put('/models/*/input_schema', {}))],
  ['details/same-model', 'responds with another model', edited('getModel', put('/id', 'aurora-image'))],
  ['details/same-model', 'does not know models that it lists', edited('getModel', status(404))],
  ['details/with-schema', 'has no schema in the details', edited('getModel', take('/input_schema'))],
  ['schemas/type', 'has a schema of another type', schema(put('/input_schema/type', 'array'))],
  ['schemas/properties', 'lists the properties', schema(put('/input_schema/properties', []))],
  ['schemas/required', 'requires an unknown parameter', schema(put('/input_schema/required', ['text_prompt']))],
  ['schemas/required', 'has a boolean as required', schema(put('/input_schema/required', true))],
  ['schemas/property-strings', 'has numbers as types', schema(put('/input_schema/properties/*/type', [1]))],
  ['schemas/property-enum', 'has a text as enum', schema(put('/input_schema/properties/image_size/enum', 'square|hd'))],
  ['schemas/property-bounds', 'has a text as maximum', schema(put('/input_schema/properties/num_images/maximum', '4'))],
])
