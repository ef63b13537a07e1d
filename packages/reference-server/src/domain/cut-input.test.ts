import { describe, expect, it } from 'vitest'
import { cutInput, cuttableLength } from './jobs.ts'

const image = `data:image/png;base64,${'A'.repeat(500_000)}`

describe('a cut input', () => {
  it('has the start of long texts, and says how long they were', () => {
    const cut = cutInput({ image_url: image, prompt: 'a fox', strength: 0.5 })
    expect(cut).toEqual({
      image_url: expect.stringMatching(/^data:image\/png;base64,A+… \(500022 characters, hash \d+\)$/),
      prompt: 'a fox',
      strength: 0.5,
    })
    expect(String(cut.image_url).length).toBeLessThanOrEqual(1_024)
    expect(cutInput(cut)).toEqual(cut)
    expect(cutInput({ image_url: `${image.slice(0, -4)}BBBB` })).not.toEqual({ image_url: cut.image_url })
  })

  it('keeps the type of other long values', () => {
    const cut = cutInput({ tags: Array(5_000).fill('tag'), extra: { text: image }, few: ['tag'], nothing: null })
    expect(cut).toEqual({
      tags: ['… (30001 characters of JSON)'],
      extra: { cut: '… (500033 characters of JSON)' },
      few: ['tag'],
      nothing: null,
    })
    expect(cuttableLength(cut)).toBe(0)
  })

  it('does not end in the middle of a character', () => {
    const text = `${'x'.repeat(959)}${'🍃'.repeat(600)}`
    expect(cutInput({ text }).text).toMatch(/^x{959}… /)
  })

  it('is the same where nothing is long', () => {
    const input = { prompt: 'a fox', num_images: 2, tags: [] }
    expect(cutInput(input)).toEqual(input)
    expect(cuttableLength(input)).toBe(0)
    expect(cuttableLength({ ...input, image_url: image })).toBe(image.length)
  })
})
