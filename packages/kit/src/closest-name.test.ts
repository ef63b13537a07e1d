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

test('there is no closest name among none', () => {
  expect(closestName('aurora', [])).toBeUndefined()
})

test('a short name may differ by one letter, but not in all of them', () => {
  expect(closestName('ad', ['ab'])).toBe('ab')
  expect(closestName('cd', ['ab'])).toBeUndefined()
  expect(closestName('c', ['a'])).toBeUndefined()
})

test('of several names the closest was meant, and of equally close ones the first', () => {
  expect(closestName('aurora-imag', ['aurora-images', 'aurora-image', 'aurora-imaged'])).toBe('aurora-image')
  expect(closestName('scales', ['scared', 'scale', 'scalar'])).toBe('scale')
  expect(closestName('ab', ['ac', 'ad'])).toBe('ac')
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
