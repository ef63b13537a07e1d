import { describe, expect, test } from 'vitest'
import { namesOf } from './save-files.ts'

/** The names of files that are all PNG images. */
function names(...chosen: unknown[]): string[] {
  const items = chosen.map(() => ({ type: 'image', url: 'https://files.example.com/0.png' }))
  const name = (_: unknown, index: number) => chosen[index] as string
  return namesOf(items, { jobId: 'job_1', name }).map((withExtension) => withExtension('0.png'))
}

describe('the name of a saved file', () => {
  test('is the id of its job and its place, by default', () => {
    const items = Array(2).fill({ type: 'image', url: 'https://files.example.com/0.png' })
    const [first, second] = namesOf(items, { jobId: '../../job/1.5' })
    expect([first?.('fox.png'), second?.('fox')]).toEqual(['.._.._job_1.5-0.png', '.._.._job_1.5-1'])
  })

  test.each([
    ['fox at dawn', 'fox at dawn.png'],
    ['fox.jpeg', 'fox.jpeg'],
    ['poster v1.2', 'poster v1.2.png'],
    ['fox.', 'fox..png'],
    ['.fox', '.fox'],
    ['f\u00fcchse', 'f\u00fcchse.png'],
  ])('%j becomes %j: an extension is added when it has none', (chosen, name) => {
    expect(names(chosen)).toEqual([name])
  })

  test.each(['', ' ', '.', '..', '../fox', 'a/b', 'a\\b', '/etc/passwd', 'C:fox', 'fox:hidden', 'fo\0x', 7, undefined])(
    'cannot be %j',
    (name) => {
      expect(() => names(name)).toThrow(expect.objectContaining({ code: 'configuration', jobId: 'job_1' }))
      expect(() => names(name)).toThrow('must give a plain file name')
    },
  )

  test.each([
    ['fox', 'fox'],
    ['fox.png', 'Fox.PNG'],
    ['f\u00fcchse', 'fu\u0308chse'],
    ['fox', 'fox.png'],
  ])('is given once: %j and %j are the same to some file systems', (...chosen) => {
    expect(() => names(...chosen)).toThrow('Two files would get the name')
  })
})
