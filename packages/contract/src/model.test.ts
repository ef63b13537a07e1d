import { expect, test } from 'vitest'
import { MODEL_CATEGORIES } from './model.ts'

test('names the five model categories (section 2.2)', () => {
  expect(MODEL_CATEGORIES).toEqual([
    'text-to-image',
    'text-to-video',
    'image-to-image',
    'text-to-speech',
    'audio-generation',
  ])
})
