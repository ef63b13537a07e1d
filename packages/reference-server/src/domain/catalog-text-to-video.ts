import type { CatalogModel } from './catalog-model.ts'

/** Models of the category `text-to-video` (section 2.2). All but one outlast the synchronous wait of section 8. */
export const TEXT_TO_VIDEO_MODELS: readonly CatalogModel[] = [
  {
    id: 'lumen/aurora-video',
    name: 'Aurora Video',
    description: 'Short films from a description, with a steady camera.',
    category: 'text-to-video',
    provider: 'Lumen',
    status: 'active',
    pricing: { credits_per_run: 60 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What happens in the film.' },
        duration_seconds: { type: 'integer', description: 'Length of the film.', default: 5, minimum: 2, maximum: 12 },
        aspect_ratio: {
          type: 'string',
          description: 'Shape of the frame.',
          enum: ['16:9', '9:16', '1:1'],
          default: '16:9',
        },
        loop: { type: 'boolean', description: 'End where the film began.', default: false },
      },
      required: ['prompt'],
    },
    output_kind: 'video',
    latency_ms: 90_000,
  },
  {
    id: 'kinora/reel-pro',
    name: 'Reel Pro',
    description: 'Films with several shots and a directed camera. Slow and careful.',
    category: 'text-to-video',
    provider: 'Kinora',
    status: 'active',
    pricing: { credits_per_run: 120 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What happens in the film.' },
        image_url: { type: 'string', description: 'URL of a picture to use as the first frame.' },
        camera: {
          type: 'string',
          description: 'How the camera moves.',
          enum: ['still', 'pan', 'dolly', 'orbit'],
          default: 'still',
        },
        shots: { type: 'integer', description: 'Number of shots.', default: 1, minimum: 1, maximum: 4 },
      },
      required: ['prompt'],
    },
    output_kind: 'video',
    latency_ms: 150_000,
  },
  {
    id: 'kinora/reel-swift',
    name: 'Reel Swift',
    description: 'Two seconds of moving pictures, quick enough to wait for.',
    category: 'text-to-video',
    provider: 'Kinora',
    status: 'active',
    pricing: { credits_per_run: 25 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What happens in the film.' },
        motion: {
          type: 'number',
          description: 'How much moves: 0 is almost still.',
          default: 0.5,
          minimum: 0,
          maximum: 1,
        },
      },
      required: ['prompt'],
    },
    output_kind: 'video',
    latency_ms: 35_000,
  },
]
