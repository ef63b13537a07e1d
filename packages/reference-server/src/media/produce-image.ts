import { encode } from 'fast-png'
import { PALETTES, paperColors } from './palettes.ts'
import type { SeededRandom } from './seeded-random.ts'

const LEVELS = 256

/**
 * A part of the picture's relief whose height at (x, y) is `column[x] * row[y]`. Waves and round hills all have this
 * form, which makes a pixel cost a few multiplications and no trigonometry.
 */
interface Layer {
  column: Float32Array
  row: Float32Array
}

/**
 * Paints an abstract picture, cut paper in layers: a relief of slopes, waves and soft hills, coloured by height. PNG
 * with a palette, about 100 kB for 1024 x 1024 pixels.
 */
export function produceImage(random: SeededRandom, width: number, height: number): Uint8Array<ArrayBuffer> {
  const relief = paintRelief(createLayers(random, width, height), width, height)
  const png = encode({
    width,
    height,
    data: toLevels(relief),
    channels: 1,
    palette: paperColors(random.pick(PALETTES), random.pick([7, 9, 12]), LEVELS),
  })
  // The encoder's array is a view of a larger buffer, which a copy lets go.
  return new Uint8Array(png)
}

function createLayers(random: SeededRandom, width: number, height: number): Layer[] {
  const slopes = [
    { column: line(width, random.between(-1.2, 1.2)), row: line(height, 0, 1) },
    { column: line(width, 0, 1), row: line(height, random.between(0.4, 1.4) * random.pick([-1, 1])) },
  ]
  const waves = Array.from({ length: 3 }, () => createWave(random, width, height))
  const hills = Array.from({ length: 5 }, () => createHill(random, width, height))
  return [...slopes, ...waves, ...hills]
}

function line(length: number, slope: number, start = 0): Float32Array {
  return Float32Array.from({ length }, (_, index) => start + (slope * index) / length)
}

function createWave(random: SeededRandom, width: number, height: number): Layer {
  const amplitude = random.between(0.08, 0.3)
  return { column: sine(random, width, amplitude), row: sine(random, height, 1) }
}

function sine(random: SeededRandom, length: number, amplitude: number): Float32Array {
  const turns = random.between(0.3, 2.2) * 2 * Math.PI
  const phase = random.between(0, 2 * Math.PI)
  return Float32Array.from({ length }, (_, index) => amplitude * Math.sin(phase + (turns * index) / length))
}

function createHill(random: SeededRandom, width: number, height: number): Layer {
  const radius = random.between(0.08, 0.26) * Math.max(width, height)
  const amplitude = random.between(0.5, 1.1) * random.pick([-1, 1])
  return {
    column: bell(width, random.between(0, width), { radius, amplitude }),
    row: bell(height, random.between(0, height), { radius, amplitude: 1 }),
  }
}

function bell(length: number, center: number, shape: { radius: number; amplitude: number }): Float32Array {
  return Float32Array.from({ length }, (_, index) => {
    const distance = (index - center) / shape.radius
    return shape.amplitude * Math.exp(-distance * distance)
  })
}

function paintRelief(layers: readonly Layer[], width: number, height: number): Float32Array {
  const relief = new Float32Array(width * height)
  for (const { column, row } of layers) {
    for (let y = 0; y < height; y++) {
      const factor = row[y] ?? 0
      const start = y * width
      for (let x = 0; x < width; x++) relief[start + x] = (relief[start + x] ?? 0) + factor * (column[x] ?? 0)
    }
  }
  return relief
}

/** Stretches the relief over all levels of the palette. */
function toLevels(relief: Float32Array): Uint8Array {
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const point of relief) {
    if (point < lowest) lowest = point
    if (point > highest) highest = point
  }
  // A picture of one pixel is flat.
  const scale = (LEVELS - 1) / (highest - lowest || 1)
  const levels = new Uint8Array(relief.length)
  // `Uint8Array.from` with a mapping function takes thirty times as long.
  for (let index = 0; index < relief.length; index++) levels[index] = ((relief[index] ?? 0) - lowest) * scale
  return levels
}
