import { expect, it } from 'vitest'
import { closestName } from './closest-name.ts'

const KNOWN = ['prompt', 'image_size', 'num_images', 'loop']

it.each([
  ['promt', 'prompt'],
  ['promptt', 'prompt'],
  ['porompt', 'prompt'],
  ['rpompt', 'prompt'],
  ['numImages', 'num_images'],
  ['NUM-IMAGES', 'num_images'],
  ['image_szie', 'image_size'],
  ['lop', 'loop'],
  ['lopo', 'loop'],
])('finds what %s means', (name, meant) => {
  expect(closestName(name, KNOWN)).toBe(meant)
})

it.each(['', 'x', 'voice', 'prodigy', 'lo', 'p'.repeat(1_000_000)])('finds nothing close to %.12s', (name) => {
  expect(closestName(name, KNOWN)).toBeUndefined()
})

it('prefers the closest of several', () => {
  expect(closestName('scales', ['scared', 'scale', 'scalar'])).toBe('scale')
})
