import type { InputProperty, InputSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { findProblems, withDefaults } from './checks.ts'

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    prompt: { type: 'string' },
    image_size: { type: 'string', enum: ['square', 'square_hd'], default: 'square_hd' },
    num_images: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
    seed: { type: ['integer', 'null'], default: 7 },
  },
  required: ['prompt'],
}

const problemWith = (name: string, value: unknown) => findProblems(SCHEMA, { prompt: 'x', [name]: value })[0]
const schemaOf = (parts: object): InputSchema => ({ type: 'object', properties: {}, ...parts })

// The rules of each type are those of the client: see its `findInputIssues`.
describe('the input of a run (section 2.3)', () => {
  it('has the defaults of the model, in its order; undefined counts as missing, null does not', () => {
    const input = { image_size: undefined, seed: null, prompt: 'a lighthouse' }
    expect(findProblems(SCHEMA, input)).toEqual([])
    const complete = withDefaults(SCHEMA, input)
    expect(Object.entries(complete)).toEqual([
      ['prompt', 'a lighthouse'],
      ['image_size', 'square_hd'],
      ['num_images', 1],
      ['seed', null],
    ])
    expect(Object.keys(input)).not.toContain('num_images')
  })

  it.each([
    ['num_images', 9, '/input/num_images: must be at most 4, not 9.'],
    ['num_images', '3', '/input/num_images: must be of type integer, not "3".'],
    ['image_size', 'huge', '/input/image_size: must be one of "square", "square_hd", not "huge".'],
    ['numImages', 2, '/input/numImages: no such parameter; did you mean num_images?'],
    ['voice', 'alma', '/input/voice: no such parameter; the model takes prompt, image_size, num_images, seed.'],
    ['a/b~c', 1, '/input/a~1b~0c: no such parameter; the model takes prompt, image_size, num_images, seed.'],
  ])('says what is wrong with %s = %j', (name, value, message) => {
    expect(problemWith(name, value)).toBe(message)
  })

  it('lacks what is required, and reports every problem', () => {
    expect(findProblems(SCHEMA, { num_images: 9, promt: 'x' })).toEqual([
      '/input/prompt: the parameter is required.',
      '/input/num_images: must be at most 4, not 9.',
      '/input/promt: no such parameter; did you mean prompt?',
    ])
  })

  it('has no parameter where the model has none', () => {
    expect(findProblems(schemaOf({}), { x: 1 })).toEqual(['/input/x: no such parameter; the model takes none.'])
  })

  it('is shown shortened', () => {
    expect(problemWith('num_images', 'x'.repeat(10_000))?.length).toBeLessThan(200)
    expect(problemWith('y'.repeat(10_000), 1)?.length).toBeLessThan(300)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('takes %s for a name like any other', (name) => {
    const input: Record<string, unknown> = JSON.parse(`{"prompt":"x","${name}":{"polluted":true}}`)
    expect(findProblems(SCHEMA, input)).toEqual([expect.stringContaining(`/input/${name}: no such parameter`)])

    const schema: InputSchema = JSON.parse(`{"type":"object","properties":{"${name}":{"type":"object"}}}`)
    const complete = withDefaults(schema, JSON.parse(`{"${name}":{"polluted":true}}`))
    expect(findProblems(schema, complete)).toEqual([])
    expect(Object.getOwnPropertyDescriptor(complete, name)?.value).toEqual({ polluted: true })
    expect(Object.getPrototypeOf(complete)).toBe(Object.prototype)
    expect(withDefaults(schema, {})).toEqual({})
  })

  it('needs a required parameter that has no description too, and may have any value for it', () => {
    const schema = schemaOf({ properties: { y: {} }, required: ['x', '__proto__'] })
    const missing = ['/input/x: the parameter is required.', '/input/__proto__: the parameter is required.']
    expect(findProblems(schema, {})).toEqual(missing)
    expect(findProblems(schema, JSON.parse('{"x":[1],"__proto__":1}'))).toEqual([])
  })

  it('may have every parameter where the schema has additionalProperties: true', () => {
    const schema = schemaOf({ properties: { x: { type: 'string' } }, additionalProperties: true })
    expect(findProblems(schema, { x: 'a', y: 1 })).toEqual([])
    expect(findProblems(schema, { x: 1, y: 1 })).toHaveLength(1)
  })
})

const urlProblem = (property: InputProperty, value: unknown, name = 'image_url') =>
  findProblems(schemaOf({ properties: { [name]: property } }), { [name]: value })[0]
const check = (value: unknown, name?: string) => urlProblem({ type: 'string' }, value, name)

const TAKES =
  '/input/image_url: must be an http or https URL, or a data URI such as data:image/png;base64,iVBORw0KGgo=, not '

describe('the URL of a source file (section 2.3)', () => {
  it.each([
    'http://localhost:3000/a.png',
    'HTTPS://files.example/a.png?x=1',
    'data:image/png;base64,iVBORw0KGgo=',
    'DATA:image/svg+xml;charset=utf-8;BASE64,PHN2Zy8+',
    `data:video/mp4;base64,${'AAAA'.repeat(250_000)}`,
  ])('may be %.60s', (value) => {
    expect(check(value)).toBeUndefined()
  })

  it.each([
    './photo.png',
    '',
    'file:///a.png',
    'https://',
    's3://a/b',
    'data:;base64,AAAA',
    'data:image/svg+xml,%3Csvg/%3E',
    'data:image/png;base64,',
    'data:image/png;base64,AA-_',
    'data:image/png;base64,[object Blob]',
  ])('may not be %j', (value) => {
    expect(check(value)).toBe(`${TAKES}"${value}".`)
  })

  it('is shown shortened', () => {
    expect(check(`data:image/png;base64,${'A'.repeat(1_000_001)}`)?.length).toBeLessThan(250)
  })

  it.each(['mask_url', 'url'])('is what a string parameter named %s takes', (name) => {
    expect(check('photo.png', name)).toBeDefined()
  })

  it.each(['prompt', 'curl', 'urls', 'url_style'])('is not what a parameter named %s takes', (name) => {
    expect(check('photo.png', name)).toBeUndefined()
  })

  it('is not checked where the schema lists the values, has another type, or has the value as its default', () => {
    expect(urlProblem({ type: 'string', enum: ['sample'] }, 'sample')).toBeUndefined()
    expect(urlProblem({}, 'sample')).toBeUndefined()
    expect(urlProblem({ type: 'string', default: '' }, '')).toBeUndefined()
  })
})
