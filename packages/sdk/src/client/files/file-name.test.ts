import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileNameOf } from './file-name.ts'

function nameOf(address: string, type?: string, disposition?: string): string {
  const headers: Record<string, string | undefined> = { 'content-type': type, 'content-disposition': disposition }
  return fileNameOf(new URL(address, 'https://x.example.com'), { get: (name) => headers[name] ?? null })
}

test.each([
  ['/a/fox.png', undefined, 'fox.png'],
  ['/a/fox.png?token=secret', 'image/png', 'fox.png'],
  ['/a/fox', 'image/jpeg', 'fox.jpg'],
  ['/a/fox.bin', 'Image/WebP; charset=binary', 'fox.webp'],
  ['/a/fox.tar.gz', 'application/x-unknown', 'fox.tar.gz'],
  ['/', undefined, 'output.bin'],
  ['/', 'video/mp4', 'output.mp4'],
  ['/f0', 'image/x-icon', 'f0.ico'],
  ['/f0', 'video/quicktime', 'f0.mov'],
  ['/f0', 'audio/mp4', 'f0.m4a'],
  ['/f0', 'model/gltf-binary', 'f0.glb'],
  ['/f0', 'text/plain; charset=utf-8', 'f0.txt'],
  ['/.htaccess', undefined, 'htaccess'],
  ['/a/fox', '__proto__', 'fox'],
  ['/a/fox', 'constructor', 'fox'],
  ['/a/..%2f..%2fpasswd', undefined, '_2f.._2fpasswd'],
])('the file at %s of type %s is called %s', (address, contentType, name) => {
  expect(nameOf(address, contentType)).toBe(name)
})

test.each([
  ['attachment; filename="fox.mp4"', 'fox.mp4'],
  ['inline; filename=fox.mp4; size=1', 'fox.mp4'],
  ['attachment; filename="../../etc/pass wd.mp4"', 'pass_wd.mp4'],
  ['attachment; filename=""', 'output.bin'],
  ['attachment', 'f0'],
])('the file with the disposition %s is called %s', (disposition, name) => {
  expect(nameOf('/a/f0', 'binary/octet-stream', disposition)).toBe(name)
})

test('a name is short, and leads out of no folder, whatever the URL', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (lastSegment, contentType, file) => {
      const name = nameOf(`/folder/${lastSegment}`, contentType, `attachment; filename="${file}"`)
      return /^[\w-][\w.-]*$/.test(name) && name.length <= 106
    }),
  )
})
