import type { InputProperty, InputSchema, Model } from '@modelrun/contract'
import type { ScriptedOutcome } from './scripted-outcome.ts'

/** A model of the reference server: its fields on the wire (section 2.1), and how its runs behave. */
export interface CatalogModel extends Model {
  /** Kind of file that a run produces, also the `type` of the output (section 2.5). */
  output_kind: 'image' | 'video' | 'audio'
  /** How long a run is processed, in milliseconds on the server's clock. The time in the queue (`queuedMs`) comes before it. */
  latency_ms: number
  /**
   * What its runs do, one after the other, then again from the first. A script goes first. Their `after_ms` does not count
   * where the option `latency` is set. Default: they succeed after `latency_ms`.
   */
  outcomes?: readonly Omit<ScriptedOutcome, 'when'>[] | undefined
}

/** Credits of a run, its duration and the file that it produces. */
function run(credits_per_run: number, latency_ms: number, output_kind: CatalogModel['output_kind']) {
  return { status: 'active', pricing: { credits_per_run }, output_kind, latency_ms }
}

function input(required: string[], properties: Record<string, InputProperty>): InputSchema {
  return { type: 'object', properties, required }
}

type PropertyMaker = (description: string, more?: InputProperty) => InputProperty

const text: PropertyMaker = (description, more) => ({ type: 'string', description, ...more })
const integer: PropertyMaker = (description, more) => ({ type: 'integer', description, ...more })
const number: PropertyMaker = (description, more) => ({ type: 'number', description, ...more })
const flag: PropertyMaker = (description, more) => ({ type: 'boolean', description, ...more })

/**
 * The default models: every category of section 2.2, several (invented) providers, from 1 to 120 credits a run and from
 * 300 ms to 150 s. All videos but one take longer than the synchronous wait of section 8.
 */
export const DEFAULT_CATALOG: readonly CatalogModel[] = [
  {
    id: 'aurora-image',
    name: 'Aurora Image',
    description: 'Draws detailed images from a description. The default choice.',
    category: 'text-to-image',
    provider: 'Lumen',
    ...run(4, 4_000, 'image'),
    // The parameters that section 2.3 shows, and no other: documents and tests rely on them.
    input_schema: input(['prompt'], {
      prompt: text('What the image shows.'),
      image_size: text('Shape of the image.', {
        enum: ['square', 'square_hd', 'portrait_4_3', 'landscape_16_9'],
        default: 'square_hd',
      }),
      num_images: integer('How many images to draw.', { default: 1, minimum: 1, maximum: 4 }),
    }),
  },
  {
    id: 'lumen/aurora-image-swift',
    name: 'Aurora Image Swift',
    description: 'A small, quick sibling of Aurora Image, for drafts and previews.',
    category: 'text-to-image',
    provider: 'Lumen',
    ...run(1, 350, 'image'),
    input_schema: input(['prompt'], {
      prompt: text('What the image shows.'),
      image_size: text('Shape of the image.', {
        enum: ['square', 'portrait_4_3', 'landscape_16_9'],
        default: 'square',
      }),
    }),
  },
  {
    id: 'inkfield/poster-2',
    name: 'Poster 2',
    description: 'Posters and covers in a chosen style, with room left for a title.',
    category: 'text-to-image',
    provider: 'Inkfield',
    ...run(9, 7_500, 'image'),
    input_schema: input(['prompt'], {
      prompt: text('What the poster shows.'),
      style: text('How it is drawn.', { enum: ['linocut', 'risograph', 'watercolour', 'flat'], default: 'risograph' }),
      image_size: text('Shape of the poster.', { enum: ['portrait_4_3', 'landscape_16_9'], default: 'portrait_4_3' }),
      guidance: number('How closely to follow the prompt.', { default: 6.5, minimum: 1, maximum: 20 }),
      title_space: flag('Leave the upper third calm for a title.', { default: true }),
    }),
  },
  {
    id: 'lumen/aurora-video',
    name: 'Aurora Video',
    description: 'Short videos from a description, with a steady camera.',
    category: 'text-to-video',
    provider: 'Lumen',
    ...run(60, 90_000, 'video'),
    input_schema: input(['prompt'], {
      prompt: text('What happens in the video.'),
      duration_seconds: integer('Length of the video.', { default: 5, minimum: 2, maximum: 12 }),
      aspect_ratio: text('Shape of the frame.', { enum: ['16:9', '9:16', '1:1'], default: '16:9' }),
      loop: flag('End where the video starts.', { default: false }),
    }),
  },
  {
    id: 'kinora/reel-pro',
    name: 'Reel Pro',
    description: 'Videos with several shots and a directed camera. Slow and careful.',
    category: 'text-to-video',
    provider: 'Kinora',
    ...run(120, 150_000, 'video'),
    input_schema: input(['prompt'], {
      prompt: text('What happens in the video.'),
      image_url: text('URL of an image to use as the first frame.'),
      camera: text('How the camera moves.', { enum: ['still', 'pan', 'dolly', 'orbit'], default: 'still' }),
      shots: integer('Number of shots.', { default: 1, minimum: 1, maximum: 4 }),
    }),
  },
  {
    id: 'kinora/reel-swift',
    name: 'Reel Swift',
    description: 'Two seconds of moving images, quick enough to wait for.',
    category: 'text-to-video',
    provider: 'Kinora',
    ...run(25, 35_000, 'video'),
    input_schema: input(['prompt'], {
      prompt: text('What happens in the video.'),
      motion: number('How much moves: 0 is almost still.', { default: 0.5, minimum: 0, maximum: 1 }),
    }),
  },
  {
    id: 'inkfield/restyle',
    name: 'Restyle',
    description: 'Redraws an image in another style and keeps its composition.',
    category: 'image-to-image',
    provider: 'Inkfield',
    ...run(6, 5_500, 'image'),
    input_schema: input(['image_url', 'prompt'], {
      image_url: text('URL of the source image.'),
      prompt: text('The style to redraw it in.'),
      strength: number('How far to leave the source: 0 keeps it, 1 forgets it.', {
        default: 0.6,
        minimum: 0,
        maximum: 1,
      }),
    }),
  },
  {
    id: 'pixelwright/upscale',
    name: 'Upscale',
    description: 'Enlarges an image and restores fine detail.',
    category: 'image-to-image',
    provider: 'Pixelwright',
    ...run(3, 8_000, 'image'),
    input_schema: input(['image_url'], {
      image_url: text('URL of the source image.'),
      scale: integer('Factor of enlargement.', { enum: [2, 4], default: 2 }),
      face_detail: flag('Restore faces with a model of their own.', { default: false }),
    }),
  },
  {
    id: 'pixelwright/cutout',
    name: 'Cutout',
    description: 'Separates the subject of an image from its background.',
    category: 'image-to-image',
    provider: 'Pixelwright',
    ...run(1, 900, 'image'),
    input_schema: input(['image_url'], {
      image_url: text('URL of the source image.'),
      background: text('What to put behind the subject.', {
        enum: ['transparent', 'white', 'blurred'],
        default: 'transparent',
      }),
      feather_px: integer('Softness of the edge in pixels.', { default: 2, minimum: 0, maximum: 32 }),
    }),
  },
  {
    id: 'vocalis/narrator',
    name: 'Narrator',
    description: 'Reads a text aloud in a warm, natural voice.',
    category: 'text-to-speech',
    provider: 'Vocalis',
    ...run(5, 3_000, 'audio'),
    input_schema: input(['text'], {
      text: text('The text to read.'),
      voice: text('Who reads.', { enum: ['alma', 'bruno', 'ines', 'tomas'], default: 'alma' }),
      speed: number('Factor of tempo.', { default: 1, minimum: 0.5, maximum: 2 }),
    }),
  },
  {
    id: 'vocalis/narrator-mini',
    name: 'Narrator Mini',
    description: 'Reads short texts almost at once, for prompts and alerts.',
    category: 'text-to-speech',
    provider: 'Vocalis',
    ...run(1, 300, 'audio'),
    input_schema: input(['text'], {
      text: text('The text to read.'),
      whisper: flag('Read in a low voice.', { default: false }),
    }),
  },
  {
    id: 'tidepool/score',
    name: 'Score',
    description: 'Composes instrumental music for a mood.',
    category: 'audio-generation',
    provider: 'Tidepool',
    ...run(18, 12_000, 'audio'),
    input_schema: input(['prompt'], {
      prompt: text('Mood, genre and instruments.'),
      tempo_bpm: integer('Beats per minute.', { default: 96, minimum: 40, maximum: 220 }),
      key: text('Mode of the piece.', { enum: ['major', 'minor'], default: 'major' }),
    }),
  },
  {
    id: 'tidepool/foley',
    name: 'Foley',
    description: 'Makes single sounds: steps, doors, rain, machines.',
    category: 'audio-generation',
    provider: 'Tidepool',
    ...run(2, 1_500, 'audio'),
    input_schema: input(['prompt'], {
      prompt: text('The sound.'),
      reverb: number('Share of room in the sound.', { default: 0.2, minimum: 0, maximum: 1 }),
    }),
  },
]
