import { expect, test } from 'vitest'
import { closestName } from './closest-name.ts'

const NAMES = ['aurora-image', 'aurora-video', 'drift-video', 'prompt', 'image_size', 'num_images', 'loop']

test.each([
  ['aurora-imgae', 'aurora-image'],
  ['AURORA-IMAGE', 'aurora-image'],
  ['aurora-vide', 'aurora-video'],
  ['drift_video', 'drift-video'],
  ['promptt', 'prompt'],
  ['rpompt', 'prompt'],
  ['numImages', 'num_images'],
  ['image_szie', 'image_size'],
  ['lopo', 'loop'],
])('%s was probably meant to be %s', (name, expected) => {
  expect(closestName(name, NAMES)).toBe(expected)
})

test.each(['', 'x', 'lo', 'voice', 'prodigy', 'something-else-entirely', 'p'.repeat(1_000_000)])(
  '%.12s is like none of the names',
  (name) => {
    expect(closestName(name, NAMES)).toBeUndefined()
  },
)

test.each<[name: string, names: string[], expected: string | undefined]>([
  ['aurora', [], undefined],
  ['ad', ['ab'], 'ab'],
  ['cd', ['ab'], undefined],
  ['c', ['a'], undefined],
  ['aurora-imag', ['aurora-images', 'aurora-image', 'aurora-imaged'], 'aurora-image'],
  ['scales', ['scared', 'scale', 'scalar'], 'scale'],
  ['ab', ['ac', 'ad'], 'ac'],
])('%s was meant to be the closest of %j that is close, and of several the first: %s', (name, names, expected) => {
  expect(closestName(name, names)).toBe(expected)
})

test('of 10,000 names that are like it, no more than 201 are read', () => {
  let read = 0
  function* names() {
    for (; read < 10_000; read++) yield `lumen/aurora-${10_000 + read}`
  }
  expect(closestName('lumen/aurora-99999', names())).toMatch(/^lumen/)
  expect(read).toBeLessThanOrEqual(201)
})

test('a name of a megabyte is compared with none', () => {
  const names = { [Symbol.iterator]: () => expect.unreachable('no name is read') }
  expect(closestName('p'.repeat(1_000_000), names)).toBeUndefined()
})
