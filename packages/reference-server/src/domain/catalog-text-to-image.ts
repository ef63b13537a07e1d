import type { CatalogModel } from './catalog-model.ts'

/** Models of the category `text-to-image` (section 2.2). */
export const TEXT_TO_IMAGE_MODELS: readonly CatalogModel[] = [
  {
    id: 'aurora-image',
    name: 'Aurora Image',
    description: 'Draws detailed pictures from a description. The usual choice.',
    category: 'text-to-image',
    provider: 'Lumen',
    status: 'active',
    pricing: { credits_per_run: 4 },
    // The parameters that section 2.3 shows, and no other: documents and tests lean on them.
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What the picture shows.' },
        image_size: {
          type: 'string',
          description: 'Shape of the picture.',
          enum: ['square', 'square_hd', 'portrait_4_3', 'landscape_16_9'],
          default: 'square_hd',
        },
        num_images: {
          type: 'integer',
          description: 'How many pictures to draw.',
          default: 1,
          minimum: 1,
          maximum: 4,
        },
      },
      required: ['prompt'],
    },
    output_kind: 'image',
    latency_ms: 4_000,
  },
  {
    id: 'lumen/aurora-image-swift',
    name: 'Aurora Image Swift',
    description: 'A small, quick sibling of Aurora Image, for drafts and previews.',
    category: 'text-to-image',
    provider: 'Lumen',
    status: 'active',
    pricing: { credits_per_run: 1 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What the picture shows.' },
        image_size: {
          type: 'string',
          description: 'Shape of the picture.',
          enum: ['square', 'portrait_4_3', 'landscape_16_9'],
          default: 'square',
        },
      },
      required: ['prompt'],
    },
    output_kind: 'image',
    latency_ms: 350,
  },
  {
    id: 'inkfield/poster-2',
    name: 'Poster 2',
    description: 'Posters and covers in a chosen style, with room left for a title.',
    category: 'text-to-image',
    provider: 'Inkfield',
    status: 'active',
    pricing: { credits_per_run: 9 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What the poster shows.' },
        style: {
          type: 'string',
          description: 'How it is drawn.',
          enum: ['linocut', 'risograph', 'watercolour', 'flat'],
          default: 'risograph',
        },
        image_size: {
          type: 'string',
          description: 'Shape of the poster.',
          enum: ['portrait_4_3', 'landscape_16_9'],
          default: 'portrait_4_3',
        },
        guidance: {
          type: 'number',
          description: 'How closely to follow the prompt.',
          default: 6.5,
          minimum: 1,
          maximum: 20,
        },
        title_space: { type: 'boolean', description: 'Leave the upper third calm for a title.', default: true },
      },
      required: ['prompt'],
    },
    output_kind: 'image',
    latency_ms: 7_500,
  },
]
