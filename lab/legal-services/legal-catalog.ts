import type { LegalChoices } from './legal-choices.ts'

/** How a model is shown, and how it runs. */
export interface LegalModel {
  shown: Record<string, unknown> & { id: string; name: string; description: string; category: string }
  schema: Record<string, unknown>
  credits: number
  runMs: number
  fails: boolean
}

const CATEGORIES = ['text-to-image', 'text-to-video', 'image-to-image', 'text-to-speech', 'audio-generation']

/** Ids of the models that the suite is given, by the choice of ids. */
export const LEGAL_IDS = {
  plain: { main: 'painter/one', slow: 'film-maker', failing: 'broken' },
  special: { main: 'weird id/100%?#é&+', slow: 'a:~=b;c,d', failing: '日本 モデル' },
} as const

export function legalCatalog(choices: LegalChoices): LegalModel[] {
  const { main, slow, failing } = LEGAL_IDS[choices.modelIds]
  const special = [model(main, 3, 1_500), model(slow, 12, 90_000), { ...model(failing, 2, 2_000), fails: true }]
  const more = Array.from({ length: 140 }, (_, index) => model(`filler-${index}`, 5 + (index % 7), 4_000))
  return [...special, ...more].slice(0, choices.modelCount).map((one, index) => dress(one, index, choices))
}

function model(id: string, credits: number, runMs: number) {
  return { id, credits, runMs, fails: false }
}

function dress({ id, ...rest }: ReturnType<typeof model>, index: number, choices: LegalChoices): LegalModel {
  const description = {
    own: `Carefully draws whatever is asked for, in the style of number${String.fromCharCode(97 + (index % 26))}.`,
    same: 'Carefully draws whatever is asked for.',
    empty: '',
  }[choices.descriptions]
  const shown = {
    id,
    name: `Model ${index} ${id}`,
    description,
    category: CATEGORIES[index % CATEGORIES.length] ?? '',
    provider: 'legal',
    status: choices.modelStatus === 'mixed' && index % 4 === 3 ? 'deprecated' : 'active',
    pricing: { credits_per_run: rest.credits },
  }
  return { shown, schema: schemaOf(choices), ...rest }
}

const SEED_BOUNDS = {
  none: {},
  int64: { seed: { minimum: -(2 ** 63), maximum: 2 ** 63 } },
  uint64: { seed: { minimum: 0, maximum: 2 ** 64 } },
  rounded: { seed: { minimum: -(2 ** 63), maximum: 2 ** 63 } },
}

function schemaOf({ typeForm, seedBounds }: LegalChoices): Record<string, unknown> {
  const type = (name: string) => ({ text: { type: name }, array: { type: [name, 'null'] }, absent: {} })[typeForm]
  return {
    type: 'object',
    properties: {
      prompt: { ...type('string'), description: 'What to draw.' },
      image_size: { ...type('string'), enum: ['square', 'square_hd', 'landscape_16_9'], default: 'square_hd' },
      num_images: { ...type('integer'), minimum: 1, maximum: 4, default: 1 },
      guidance: { ...type('number'), minimum: 0.5, maximum: 20 },
      tiled: { ...type('boolean') },
      ...SEED_BOUNDS[seedBounds],
    },
    required: ['prompt'],
  }
}
