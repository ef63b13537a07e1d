import { expect, test } from 'vitest'
import { closestName } from './closest-name.ts'

const MODELS = ['aurora-image', 'aurora-video', 'drift-video']

test.each([
  ['aurora-imgae', 'aurora-image'],
  ['AURORA-IMAGE', 'aurora-image'],
  ['aurora-vide', 'aurora-video'],
  ['drift_video', 'drift-video'],
])('%s was probably meant to be %s', (name, expected) => {
  expect(closestName(name, MODELS)).toBe(expected)
})

test.each(['', 'x', 'something-else-entirely'])('%j is like none of the names', (name) => {
  expect(closestName(name, MODELS)).toBeUndefined()
})

test('there is no closest name among none', () => {
  expect(closestName('aurora', [])).toBeUndefined()
})

test('a short name may differ by one letter', () => {
  expect(closestName('ad', ['ab'])).toBe('ab')
  expect(closestName('cd', ['ab'])).toBeUndefined()
})

test('of several names, the closest was meant, and of equally close ones the first', () => {
  expect(closestName('aurora-imag', ['aurora-images', 'aurora-image', 'aurora-imaged'])).toBe('aurora-image')
  expect(closestName('aurora-imag', ['aurora-image', 'aurora-images'])).toBe('aurora-image')
  expect(closestName('ab', ['ac', 'ad'])).toBe('ac')
})
