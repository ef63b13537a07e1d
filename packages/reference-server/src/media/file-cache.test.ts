import { describe, expect, it } from 'vitest'
import { FileCache, type FileRequest } from './produce-file.ts'

const MIB = 1024 * 1024

/** A cache over files of a size, and what was produced. */
function setUp(bytes = 10) {
  const produced: FileRequest[] = []
  const cache = new FileCache((request) => {
    produced.push(request)
    return { bytes: new Uint8Array(bytes), contentType: 'image/png', extension: 'png' }
  })
  return { cache, produced }
}

const picture = (fields: Partial<FileRequest> = {}): FileRequest => ({ kind: 'image', prompt: 'a', seed: 1, ...fields })

describe('a cache of files', () => {
  it('has a picture painted once, however often it is read', () => {
    const { cache, produced } = setUp()
    const first = cache.read(picture())
    for (let read = 0; read < 50; read++) expect(cache.read(picture())).toBe(first)
    expect(cache.read(picture({ width: 1_024, height: 1_024 }))).toBe(first)
    expect(produced).toHaveLength(1)
  })

  it.each([{ prompt: 'b' }, { seed: 2 }, { width: 512 }, { height: 512 }, { kind: 'audio' as const }])(
    'does not mix up files with another %j',
    (other) => {
      const { cache, produced } = setUp()
      cache.read(picture())
      cache.read(picture(other))
      expect(produced).toHaveLength(2)
    },
  )

  it('knows the length of a file in the cache, and does not produce a file for it', () => {
    const { cache, produced } = setUp(10)
    expect(cache.knownLength(picture())).toBeUndefined()
    expect(produced).toEqual([])
    cache.read(picture())
    expect([cache.knownLength(picture()), produced.length]).toEqual([10, 1])
  })

  it('drops what was not read for longest when it holds more than 16 MiB', () => {
    const { cache, produced } = setUp(6 * MIB)
    for (const seed of [1, 2, 1, 3]) cache.read(picture({ seed }))
    expect([1, 2, 3].map((seed) => cache.knownLength(picture({ seed })))).toEqual([6 * MIB, undefined, 6 * MIB])
    expect(produced.map(({ seed }) => seed)).toEqual([1, 2, 3])
  })
})
