import type { CatalogModel } from './catalog-model.ts'

/** Models of the category `image-to-image` (section 2.2). */
export const IMAGE_TO_IMAGE_MODELS: readonly CatalogModel[] = [
  {
    id: 'inkfield/restyle',
    name: 'Restyle',
    description: 'Redraws a picture in another style and keeps its composition.',
    category: 'image-to-image',
    provider: 'Inkfield',
    status: 'active',
    pricing: { credits_per_run: 6 },
    input_schema: {
      type: 'object',
      properties: {
        image_url: { type: 'string', description: 'URL of the source image.' },
        prompt: { type: 'string', description: 'The style to redraw it in.' },
        strength: {
          type: 'number',
          description: 'How far to leave the source: 0 keeps it, 1 forgets it.',
          default: 0.6,
          minimum: 0,
          maximum: 1,
        },
      },
      required: ['image_url', 'prompt'],
    },
    output_kind: 'image',
    latency_ms: 5_500,
  },
  {
    id: 'pixelwright/upscale',
    name: 'Upscale',
    description: 'Enlarges a picture and restores fine detail.',
    category: 'image-to-image',
    provider: 'Pixelwright',
    status: 'active',
    pricing: { credits_per_run: 3 },
    input_schema: {
      type: 'object',
      properties: {
        image_url: { type: 'string', description: 'URL of the source image.' },
        scale: { type: 'integer', description: 'Factor of enlargement.', enum: [2, 4], default: 2 },
        face_detail: { type: 'boolean', description: 'Restore faces with a model of their own.', default: false },
      },
      required: ['image_url'],
    },
    output_kind: 'image',
    latency_ms: 8_000,
  },
  {
    id: 'pixelwright/cutout',
    name: 'Cutout',
    description: 'Separates the subject of a picture from its background.',
    category: 'image-to-image',
    provider: 'Pixelwright',
    status: 'active',
    pricing: { credits_per_run: 1 },
    input_schema: {
      type: 'object',
      properties: {
        image_url: { type: 'string', description: 'URL of the source image.' },
        background: {
          type: 'string',
          description: 'What to put behind the subject.',
          enum: ['transparent', 'white', 'blurred'],
          default: 'transparent',
        },
        feather_px: {
          type: 'integer',
          description: 'Softness of the edge in pixels.',
          default: 2,
          minimum: 0,
          maximum: 32,
        },
      },
      required: ['image_url'],
    },
    output_kind: 'image',
    latency_ms: 900,
  },
]
