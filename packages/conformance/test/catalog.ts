import { type CatalogModel, DEFAULT_CATALOG } from '@modelrun/reference-server'

/** Quick, and its schema has every kind of rule, most of them twice. */
export const MAIN_MODEL = 'conformance/every-rule'
export const FAILING_MODEL = 'conformance/always-fails'

/** More than a page of the largest size, so that a page that is cut short shows. */
const FILLERS = 110

/** The default catalog, the models above, and so many others that the list has more than one page. */
export function largeCatalog(): CatalogModel[] {
  const fillers = Array.from({ length: FILLERS }, (_, index) => filler(index))
  return [...DEFAULT_CATALOG, alwaysFails(), everyRule(), ...fillers]
}

function alwaysFails(): CatalogModel {
  return {
    ...template(0),
    id: FAILING_MODEL,
    name: 'Always Fails',
    description: 'Never draws anything at all.',
    outcomes: [{ result: 'failed' }],
  }
}

function everyRule(): CatalogModel {
  return {
    ...template(0),
    id: MAIN_MODEL,
    name: 'Every Rule',
    description: 'Draws whatever its many parameters permit.',
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What the image shows.' },
        style: { type: 'string', enum: ['linocut', 'risograph', 'photo'] },
        image_size: { type: 'string', enum: ['square', 'square_hd', 'landscape_16_9'], default: 'square_hd' },
        num_images: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
        strength: { type: 'number', minimum: 0.25, maximum: 0.75, default: 0.5 },
        seed: { type: 'integer', minimum: 0 },
        tiled: { type: 'boolean', default: false },
      },
      required: ['prompt', 'style'],
    },
  }
}

function filler(index: number): CatalogModel {
  const number = String(index).padStart(3, '0')
  return {
    ...template(index),
    id: `shelf/model-${number}`,
    name: `Shelf Model ${number}`,
    description: `Stands on the shelf in place ${number}.`,
  }
}

function template(index: number): CatalogModel {
  const model = DEFAULT_CATALOG[index % DEFAULT_CATALOG.length]
  if (model === undefined) throw new Error('The default catalog is empty.')
  return model
}
