import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileNameOf } from './file-name.ts'

const nameOf = (address: string, contentType?: string) =>
  fileNameOf(new URL(address, 'https://x.example.com'), contentType)

test.each([
  ['/a/fox.png', undefined, 'fox.png'],
  ['/a/fox.png?token=secret', 'image/png', 'fox.png'],
  ['/a/fox', 'image/jpeg', 'fox.jpg'],
  ['/a/fox.bin', 'Image/WebP; charset=binary', 'fox.webp'],
  ['/a/fox.tar.gz', 'application/x-unknown', 'fox.tar.gz'],
  ['/', undefined, 'output.bin'],
  ['/', 'video/mp4', 'output.mp4'],
  ['/.htaccess', undefined, 'htaccess'],
  ['/a/fox', '__proto__', 'fox'],
  ['/a/fox', 'constructor', 'fox'],
  ['/a/..%2f..%2fpasswd', undefined, '_2f.._2fpasswd'],
])('the file at %s of type %s is called %s', (address, contentType, name) => {
  expect(nameOf(address, contentType)).toBe(name)
})

test('a name is short, and leads out of no folder, whatever the URL', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (lastSegment, contentType) => {
      const name = nameOf(`/folder/${lastSegment}`, contentType)
      return /^[\w-][\w.-]*$/.test(name) && name.length <= 106
    }),
  )
})
