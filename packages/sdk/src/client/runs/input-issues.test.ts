import type { InputSchema } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { findInputIssues } from './input-issues.ts'

const schema = fixtures.models.textToImage.body.input_schema

/** What is found in an input of a model with these parameters. */
const issuesOf = (properties: InputSchema['properties'], input: Record<string, unknown>, required: string[] = []) =>
  findInputIssues({ type: 'object', properties, required }, input)

const pointersOf = (input: Record<string, unknown>) => findInputIssues(schema, input).map(({ pointer }) => pointer)

describe('findInputIssues (section 2.3)', () => {
  test.each([
    ['nothing wrong with what fits', { prompt: 'x', image_size: 'square', num_images: 4 }, []],
    ['a number below the minimum', { prompt: 'x', num_images: 0 }, ['/num_images']],
    ['a parameter that the model does not have', { prompt: 'x', 'a/b~c': 1 }, ['/a~1b~0c']],
    ['a name that every object has', { prompt: 'x', toString: 'y' }, ['/toString']],
  ])('finds %s', (_, input, pointers) => {
    expect(pointersOf(input)).toEqual(pointers)
  })

  test('takes a value of any type where the schema names none', () => {
    const seed = { enum: [1, 'random'] }
    expect([1, 'random', true].map((value) => issuesOf({ seed }, { seed: value }).length)).toEqual([0, 0, 1])
    expect(issuesOf({ seed: { type: [], enum: [] } }, { seed: 1 })).toEqual([])
  })

  test('leaves objects to the service where the schema has a list of values, and what is not a number where it has limits', () => {
    const open = { size: { enum: ['small'] }, seed: { minimum: 1, maximum: 2 } }
    for (const seed of ['0', '9']) expect(issuesOf(open, { size: { width: 1 }, seed })).toEqual([])
  })

  test('asks for a parameter that the schema requires and does not describe', () => {
    expect(issuesOf({}, {}, ['ghost'])).toMatchObject([{ pointer: '/ghost' }])
  })

  test('takes several types, as JSON Schema writes them', () => {
    const nullable = { seed: { type: ['integer', 'null'] } }
    for (const seed of [1, null]) expect(issuesOf(nullable, { seed })).toEqual([])
    const message = 'must be of type integer or null, not "x"'
    expect(issuesOf(nullable, { seed: 'x' })).toEqual([{ pointer: '/seed', message }])
  })

  test('says that a parameter is required, which one was meant, or which there are', () => {
    expect(findInputIssues(schema, {})).toEqual([{ pointer: '/prompt', message: 'the parameter is required' }])
    const [typo, other] = findInputIssues(schema, { prompt: 'x', Num_image: 2, voice: 'y' })
    expect(typo?.message).toBe('no such parameter; did you mean num_images?')
    expect(other?.message).toBe('no such parameter; the model takes prompt, image_size, num_images')
  })

  test.each([
    ['string', 'x', 1],
    ['boolean', false, 'false'],
    ['number', 0.5, '0.5'],
    ['number', -1, Number.NaN],
    ['integer', 3, 3.5],
    ['array', [], {}],
    ['object', {}, []],
    ['object', {}, 'x'],
    ['object', { a: 1 }, null],
    ['string', '', 1n],
  ])('recognizes a %s: %j is one, %s is not', (type, good, bad) => {
    expect(issuesOf({ value: { type } }, { value: good })).toEqual([])
    const [found] = issuesOf({ value: { type } }, { value: bad })
    expect(found).toEqual({ pointer: '/value', message: expect.stringContaining(`must be of type ${type}, not `) })
  })

  test('says what is allowed, and what was given', () => {
    const messages = findInputIssues(schema, { prompt: 7, image_size: 'huge', num_images: 9 }).map((one) => one.message)
    expect(messages).toEqual([
      'must be of type string, not 7',
      'must be one of "square", "square_hd", "portrait_4_3", "landscape_16_9", not "huge"',
      'must be at most 4, not 9',
    ])
  })

  test('takes undefined for a parameter that is left out, as JSON does', () => {
    expect(findInputIssues(schema, { prompt: 'x', num_images: undefined, voice: undefined })).toEqual([])
    expect(pointersOf({ prompt: undefined })).toEqual(['/prompt'])
  })

  test('lets a required parameter with a default be left out, but not one whose name every object has', () => {
    const properties = { size: { type: 'string', default: 'big' }, toString: { type: 'string' } }
    const found = issuesOf(properties, {}, ['size', 'toString'])
    expect(found).toEqual([{ pointer: '/toString', message: 'the parameter is required' }])
    // One that is required and not described may be given.
    expect(issuesOf(properties, { toString: 'a', seed: 1 }, ['seed'])).toEqual([])
  })

  test.each(['image', 'file'])('leaves an input to the service when its schema has the unknown type %s', (type) => {
    const newer = { source: { type } }
    expect(issuesOf(newer, { source: 'x' }, ['source'])).toEqual([])
    expect(issuesOf(newer, { sauce: 'x' }, ['source'])).toEqual([
      { pointer: '/source', message: 'the parameter is required' },
      { pointer: '/sauce', message: 'no such parameter; did you mean source?' },
    ])
  })
})
