import { AUDIO_MODELS } from './catalog-audio.ts'
import { IMAGE_TO_IMAGE_MODELS } from './catalog-image-to-image.ts'
import type { CatalogModel } from './catalog-model.ts'
import { TEXT_TO_IMAGE_MODELS } from './catalog-text-to-image.ts'
import { TEXT_TO_VIDEO_MODELS } from './catalog-text-to-video.ts'

export type { CatalogModel } from './catalog-model.ts'
export { imageSizePixels } from './image-size.ts'

/**
 * The models that the reference server has unless told otherwise: every category of section 2.2, several (invented)
 * providers, from 1 to 120 credits a run and from 300 ms to 150 s.
 */
export const DEFAULT_CATALOG: readonly CatalogModel[] = [
  ...TEXT_TO_IMAGE_MODELS,
  ...TEXT_TO_VIDEO_MODELS,
  ...IMAGE_TO_IMAGE_MODELS,
  ...AUDIO_MODELS,
]
