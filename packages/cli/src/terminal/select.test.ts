import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { readPath, Selection } from './select.ts'

const RESULT = { type: 'result', 'a name': 1, output: { items: [{ url: 'a' }, { url: 'b' }] }, files: [], error: null }

describe('--select', () => {
  it.each([
    ['.', [RESULT]],
    ['.type', ['result']],
    ['.output.items[].url', ['a', 'b']],
    ['.output.items[0].url', ['a']],
    ['.output.items[-1]', [{ url: 'b' }]],
    ['.["a name"]', [1]],
    ['.error', [null]],
  ])('finds what the path %s leads to', (path, found) => {
    const selection = new Selection(readPath(path))
    expect(selection.of(RESULT)).toEqual(found)
    expect(selection.problem).toBeUndefined()
  })

  it.each([
    ['.output.item', 'There is no member item. There are: items.'],
    ['.output.items.url', 'There is no member url in an array: put [] before it, for every item.'],
    ['.output.items[2]', 'There is no item 2 in an array of 2.'],
    ['.type.x', 'There is no member x in "result".'],
    ['.constructor', 'There is no member constructor. There are: type, a name, output, files, error.'],
  ])('names what there is when %s finds nothing', (path, problem) => {
    const selection = new Selection(readPath(path))
    expect(selection.of(RESULT)).toEqual([])
    expect(selection.problem).toBe(`--select ${path} has found nothing. ${problem}`)
  })

  it('is about the object that the path leads into the furthest, and about none when one has it', () => {
    const selection = new Selection(readPath('.output.items[].uri'))
    for (const value of [{ type: 'price' }, RESULT, { type: 'job' }]) selection.of(value)
    expect(selection.problem).toContain('There is no member uri. There are: url.')
    expect(selection.of({ output: { items: [{ uri: 'x' }] } })).toEqual(['x'])
    expect(selection.problem).toBeUndefined()
  })

  it.each(['model', '.a b', '.items[x]', '.a..b', '['])('rejects %j, which is not a path', (path) => {
    expect(() => readPath(path)).toThrow(InvalidArgumentError)
  })
})
