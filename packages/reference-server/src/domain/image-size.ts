const SQUARE_HD = { width: 1024, height: 1024 }

const PIXELS_BY_SIZE: ReadonlyMap<unknown, { width: number; height: number }> = new Map([
  ['square', { width: 512, height: 512 }],
  ['square_hd', SQUARE_HD],
  ['portrait_4_3', { width: 768, height: 1024 }],
  ['landscape_16_9', { width: 1024, height: 576 }],
])

/**
 * Pixels of an `image_size` (section 2.3 names the values, not their pixels).
 *
 * Anything else, also no size at all, gives the default `square_hd`, 1024 x 1024.
 */
export function imageSizePixels(size: unknown): { width: number; height: number } {
  return { ...(PIXELS_BY_SIZE.get(size) ?? SQUARE_HD) }
}
