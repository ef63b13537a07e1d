import { encode } from 'fast-png'
import type { Random } from '../shared/random.ts'

const LEVELS = 256

type Gradient = readonly [low: number, high: number]

/** Colours (red, green, blue) of the lowest and the highest level of an image. */
const PALETTES: readonly [Gradient, ...Gradient[]] = [
  [0x121840, 0xfab07a],
  [0x0a2e36, 0xd4dea0],
  [0x241030, 0xf8a846],
  [0x0e1c4a, 0xbadee6],
  [0x1e221e, 0xe2c474],
  [0x281646, 0xecb2de],
]

/**
 * An abstract image of waves, coloured by their height. PNG with a palette, about 150 kB for 1024 x 1024 pixels. Each
 * wave is a product of a column and a row, so that a pixel costs a few multiplications.
 */
export function produceImage(random: Random, width: number, height: number): Uint8Array<ArrayBuffer> {
  const waves = Array.from({ length: 4 }, () => ({ column: sine(random, width), row: sine(random, height) }))
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let level = 0
      for (const { column, row } of waves) level += (column[x] ?? 0) * (row[y] ?? 0)
      // The sum of four waves is from -4 to 4, and seldom at its ends: beyond 2 it is cut.
      data[y * width + x] = Math.min(1, Math.max(0, 0.5 + level / 4)) * (LEVELS - 1)
    }
  }
  const png = encode({ width, height, data, channels: 1, palette: colors(random) })
  // The encoder's array is a view of a larger buffer, which a copy lets go.
  return new Uint8Array(png)
}

function sine(random: Random, length: number): Float32Array {
  const turns = random.between(0.5, 2.5) * 2 * Math.PI
  const phase = random.between(0, 2 * Math.PI)
  return Float32Array.from({ length }, (_, index) => Math.sin(phase + (turns * index) / length))
}

function colors(random: Random): number[][] {
  const [low, high] = random.pick(PALETTES)
  const channel = (color: number, shift: number) => (color >> shift) & 0xff
  return Array.from({ length: LEVELS }, (_, level) =>
    [16, 8, 0].map((shift) => {
      const from = channel(low, shift)
      return Math.round(from + ((channel(high, shift) - from) * level) / (LEVELS - 1))
    }),
  )
}
