import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { type FileRequest, produceFile } from './produce-file.ts'

const REQUEST = { prompt: 'a lighthouse', seed: 1, width: 96, height: 64 }
const image = (request: Partial<FileRequest> = {}) => produceFile({ kind: 'image', ...REQUEST, ...request })
const audio = (request: Partial<FileRequest> = {}) => produceFile({ kind: 'audio', ...REQUEST, ...request })

describe('an image', () => {
  it('is a PNG of the wanted size with its content type (section 2.5)', () => {
    const file = image()
    expect(file).toMatchObject({ contentType: 'image/png', extension: 'png' })
    expect(decode(file.bytes)).toMatchObject({ width: 96, height: 64 })
  })

  it('has less than 200 kB for 1024 x 1024 pixels', () => {
    expect(image({ width: 1024, height: 1024 }).bytes.byteLength).toBeLessThan(200_000)
  })

  it.each([
    [5_000, 2_048],
    [Number.POSITIVE_INFINITY, 2_048],
    [0, 1],
    [-3, 1],
    [10.4, 10],
  ])('has %d pixels of width brought into bounds: %d', (asked, got) => {
    expect(decode(image({ width: asked, height: 1 }).bytes)).toMatchObject({ width: got, height: 1 })
  })

  it.each(['', '🍃 木漏れ日', '\ud800', '\0', 'x'.repeat(100_000)])('is made from any prompt, such as %j', (prompt) => {
    expect(decode(image({ prompt }).bytes)).toMatchObject({ width: 96, height: 64 })
  })
})

describe('an audio file', () => {
  const text = (bytes: Uint8Array, start: number) => String.fromCharCode(...bytes.subarray(start, start + 4))

  it('is a WAV of 16-bit mono PCM that lasts two seconds (section 2.5)', () => {
    const { bytes, contentType, extension } = audio()
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    expect({ contentType, extension }).toEqual({ contentType: 'audio/wav', extension: 'wav' })
    expect([0, 8, 12, 36].map((start) => text(bytes, start))).toEqual(['RIFF', 'WAVE', 'fmt ', 'data'])
    expect(view.getUint32(4, true)).toBe(bytes.byteLength - 8)
    expect([view.getUint16(20, true), view.getUint16(22, true), view.getUint16(34, true)]).toEqual([1, 1, 16])
    expect(view.getUint32(40, true)).toBe(bytes.byteLength - 44)
    expect(view.getUint32(40, true) / view.getUint32(28, true)).toBeCloseTo(2, 2)
  })

  it('is loud enough, never clips, and has no click at any edge of a note', () => {
    const { bytes } = audio()
    const samples = new Int16Array(bytes.buffer, 44)
    const jumps = Array.from(samples, (sample, index) => Math.abs(sample - (samples[index - 1] ?? 0)))
    expect(Math.max(...samples)).toBeGreaterThan(10_000)
    expect(Math.max(...samples)).toBeLessThan(32_000)
    expect([samples[0], samples.at(-1)]).toEqual([0, 0])
    // The steepest slope of the highest note is about 5,000 a sample; a cut wave would jump by up to 20,000.
    expect(Math.max(...jumps)).toBeLessThan(7_000)
  })
})

describe('a video', () => {
  const video = () => produceFile({ kind: 'video', ...REQUEST })

  it('is an MP4 that a viewer can start before it is loaded: `moov` stands before `mdat` (section 2.5)', () => {
    const { bytes, contentType, extension } = video()
    const view = new DataView(bytes.buffer)
    const boxes: string[] = []
    let offset = 0
    while (offset < bytes.byteLength) {
      boxes.push(String.fromCharCode(...bytes.subarray(offset + 4, offset + 8)))
      offset += view.getUint32(offset)
    }
    expect({ contentType, extension }).toEqual({ contentType: 'video/mp4', extension: 'mp4' })
    expect(boxes).toEqual(['ftyp', 'moov', 'free', 'mdat'])
    expect(offset).toBe(bytes.byteLength)
  })

  it('is the same every time, in an array of its own', () => {
    const first = video()
    first.bytes.fill(0)
    expect(video().bytes[4]).toBe('f'.charCodeAt(0))
  })
})

it.each([image, audio])('the same prompt and seed give the same file, and others another one', (file) => {
  expect(file().bytes).toEqual(file().bytes)
  expect(file({ prompt: 'a lighthousf' }).bytes).not.toEqual(file().bytes)
  expect(file({ seed: 2 }).bytes).not.toEqual(file().bytes)
})
