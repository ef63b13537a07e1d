type Palette = readonly [string, string, ...string[]]

/** Colours (`rrggbb`) from the deep to the high places of a picture. */
export const PALETTES: readonly [Palette, ...Palette[]] = [
  ['121840', '48348a', 'd65c84', 'fab07a', 'ffeecc'],
  ['0a2e36', '14686e', '5cb298', 'd4dea0', 'fcf4d6'],
  ['241030', '801c4c', 'de503e', 'f8a846', 'ffe8b0'],
  ['0e1c4a', '205cac', '58acdc', 'badee6', 'faf0e2'],
  ['1e221e', '42603e', '92a054', 'e2c474', 'faecd0'],
  ['281646', '624ab0', '8e94e6', 'ecb2de', 'ffeaf0'],
]

/** How much darker a sheet is where the next one lies on it. */
const SHADE = 0.3

/** Colours of the levels of a relief, red, green and blue each: sheets of cut paper, shaded towards the next one. */
export function paperColors(palette: Palette, sheetCount: number, levelCount: number): number[][] {
  return Array.from({ length: levelCount }, (_, level) => {
    const height = (level / levelCount) * sheetCount
    const sheet = Math.floor(height)
    const light = 1 - SHADE * (height - sheet) ** 3
    return colorAt(palette, sheet / (sheetCount - 1)).map((channel) => Math.round(channel * light))
  })
}

/** The mixed colour at `position`, where 0 is the first and 1 the last colour of the palette. */
function colorAt(palette: Palette, position: number): number[] {
  const scaled = position * (palette.length - 1)
  const lower = channels(palette[Math.floor(scaled)] ?? palette[0])
  const upper = channels(palette[Math.ceil(scaled)] ?? palette[0])
  const share = scaled - Math.floor(scaled)
  return lower.map((from, index) => from + ((upper[index] ?? from) - from) * share)
}

function channels(hexColor: string): number[] {
  return [0, 2, 4].map((start) => Number.parseInt(hexColor.slice(start, start + 2), 16))
}
