import type { CatalogModel } from './catalog-model.ts'

/** Models of the categories `text-to-speech` and `audio-generation` (section 2.2). */
export const AUDIO_MODELS: readonly CatalogModel[] = [
  {
    id: 'vocalis/narrator',
    name: 'Narrator',
    description: 'Reads a text aloud in a warm, natural voice.',
    category: 'text-to-speech',
    provider: 'Vocalis',
    status: 'active',
    pricing: { credits_per_run: 5 },
    input_schema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'The text to read.' },
        voice: { type: 'string', description: 'Who reads.', enum: ['alma', 'bruno', 'ines', 'tomas'], default: 'alma' },
        speed: { type: 'number', description: 'Factor of tempo.', default: 1, minimum: 0.5, maximum: 2 },
      },
      required: ['text'],
    },
    output_kind: 'audio',
    latency_ms: 3_000,
  },
  {
    id: 'vocalis/narrator-mini',
    name: 'Narrator Mini',
    description: 'Reads short texts almost at once, for prompts and alerts.',
    category: 'text-to-speech',
    provider: 'Vocalis',
    status: 'active',
    pricing: { credits_per_run: 1 },
    input_schema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'The text to read.' },
        whisper: { type: 'boolean', description: 'Read in a low voice.', default: false },
      },
      required: ['text'],
    },
    output_kind: 'audio',
    latency_ms: 300,
  },
  {
    id: 'tidepool/score',
    name: 'Score',
    description: 'Composes instrumental music for a mood.',
    category: 'audio-generation',
    provider: 'Tidepool',
    status: 'active',
    pricing: { credits_per_run: 18 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'Mood, genre and instruments.' },
        tempo_bpm: { type: 'integer', description: 'Beats per minute.', default: 96, minimum: 40, maximum: 220 },
        key: { type: 'string', description: 'Mode of the piece.', enum: ['major', 'minor'], default: 'major' },
      },
      required: ['prompt'],
    },
    output_kind: 'audio',
    latency_ms: 12_000,
  },
  {
    id: 'tidepool/foley',
    name: 'Foley',
    description: 'Makes single sounds: steps, doors, rain, machines.',
    category: 'audio-generation',
    provider: 'Tidepool',
    status: 'active',
    pricing: { credits_per_run: 2 },
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'The sound.' },
        reverb: { type: 'number', description: 'Share of room in the sound.', default: 0.2, minimum: 0, maximum: 1 },
      },
      required: ['prompt'],
    },
    output_kind: 'audio',
    latency_ms: 1_500,
  },
]
