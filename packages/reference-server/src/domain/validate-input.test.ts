import type { InputSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { checkSourceUrl, validateInput } from './validate-input.ts'

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    prompt: { type: 'string', description: 'What the image shows.' },
    image_size: { type: 'string', enum: ['square', 'square_hd'], default: 'square_hd' },
    num_images: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
    guidance: { type: 'number', minimum: 0 },
    noise: { type: 'number', maximum: 1 },
    loop: { type: 'boolean' },
    tags: { type: 'array' },
    extra: { type: 'object' },
  },
  required: ['prompt'],
}

const messages = (schema: InputSchema, input: Record<string, unknown>) => {
  const check = validateInput(schema, input)
  return check.ok ? [] : check.problems.map(({ pointer, message }) => `${pointer} ${message}`)
}
const problemWith = (name: string, value: unknown) => messages(SCHEMA, { prompt: 'x', [name]: value })[0]
const schemaOf = (parts: object): InputSchema => ({ type: 'object', properties: {}, ...parts })

describe('validateInput (section 2.3)', () => {
  it('accepts a right input and fills in the defaults', () => {
    const input = { prompt: 'a lighthouse', guidance: 2.5, loop: false, tags: [], extra: {} }
    const check = validateInput(SCHEMA, input)
    expect(check).toEqual({ ok: true, input: { ...input, image_size: 'square_hd', num_images: 1 } })
    expect(Object.keys(input)).not.toContain('num_images')
  })

  it.each([
    ['num_images', 9, '/num_images num_images must be at most 4, got 9.'],
    ['num_images', 0, '/num_images num_images must be at least 1, got 0.'],
    ['num_images', 2.5, '/num_images num_images must be an integer, got the number 2.5.'],
    ['num_images', '3', '/num_images num_images must be an integer, got the string "3".'],
    ['num_images', null, '/num_images num_images must be an integer, got null.'],
    ['guidance', -0.5, '/guidance guidance must be at least 0, got -0.5.'],
    ['guidance', 'high', '/guidance guidance must be a number, got the string "high".'],
    ['guidance', Number.NaN, '/guidance guidance must be a finite number, got NaN.'],
    ['guidance', Number.POSITIVE_INFINITY, '/guidance guidance must be a finite number, got Infinity.'],
    ['noise', 2, '/noise noise must be at most 1, got 2.'],
    ['loop', 'true', '/loop loop must be a boolean, got the string "true".'],
    ['loop', 1, '/loop loop must be a boolean, got the number 1.'],
    ['tags', {}, '/tags tags must be an array, got an object.'],
    ['extra', [], '/extra extra must be an object, got an array.'],
    ['image_size', 'huge', '/image_size image_size must be one of "square", "square_hd", got "huge".'],
    ['prompt', true, '/prompt prompt must be a string, got the boolean true.'],
  ])('says what is wrong with %s = %j', (name, value, message) => {
    expect(problemWith(name, value)).toBe(message)
  })

  it('says what a missing parameter is for; undefined counts as missing', () => {
    const wanted = ['/prompt prompt is required; send a string. What the image shows.']
    expect(messages(SCHEMA, {})).toEqual(wanted)
    expect(messages(SCHEMA, { prompt: undefined, unheard_of: undefined })).toEqual(wanted)
  })

  it('rejects an unknown parameter and names the closest one, or all that exist', () => {
    expect(problemWith('numImages', 2)).toBe(
      '/numImages numImages is not a parameter of this model. Did you mean num_images?',
    )
    expect(problemWith('voice', 'alma')).toBe(
      '/voice voice is not a parameter of this model. ' +
        'It takes: prompt, image_size, num_images, guidance, noise, loop, tags, extra.',
    )
    expect(messages(schemaOf({}), { x: 1 })).toEqual(['/x x is not a parameter of this model. It takes no parameters.'])
  })

  it('reports every problem, not only the first', () => {
    const check = validateInput(SCHEMA, { num_images: 9, image_size: 7, promt: 'x' })
    expect(check.ok ? [] : check.problems.map((problem) => problem.pointer)).toEqual([
      '/prompt',
      '/image_size',
      '/num_images',
      '/promt',
    ])
  })

  it('shortens long values and names', () => {
    expect(problemWith('num_images', 'x'.repeat(10_000))?.length).toBeLessThan(200)
    const check = validateInput(SCHEMA, { prompt: 'x', ['y'.repeat(10_000)]: 1 })
    expect(check.ok ? '' : check.problems[0]?.message.length).toBeLessThan(300)
  })

  it('escapes names in pointers', () => {
    expect(messages(schemaOf({}), { 'a/b~c': 1 })[0]).toMatch(/^\/a~1b~0c /)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('takes %s for a name like any other', (name) => {
    const input: Record<string, unknown> = JSON.parse(`{"prompt":"x","${name}":{"polluted":true}}`)
    expect(messages(SCHEMA, input)).toEqual([expect.stringContaining(`${name} is not a parameter`)])

    const schema: InputSchema = JSON.parse(`{"type":"object","properties":{"${name}":{"type":"object"}}}`)
    const check = validateInput(schema, JSON.parse(`{"${name}":{"polluted":true}}`))
    expect(check.ok && Object.getOwnPropertyDescriptor(check.input, name)?.value).toEqual({ polluted: true })
    expect(check.ok && Object.getPrototypeOf(check.input)).toBe(Object.prototype)
    expect(validateInput(schema, {})).toEqual({ ok: true, input: {} })
  })

  it('wants a required parameter that has no description too, and accepts any value for it', () => {
    const schema = schemaOf({ required: ['x', '__proto__'] })
    expect(messages(schema, {})).toEqual(['/x x is required.', '/__proto__ __proto__ is required.'])
    expect(validateInput(schemaOf({ required: ['x'] }), { x: [1] })).toEqual({ ok: true, input: { x: [1] } })
  })

  it('accepts every parameter where the schema has additionalProperties: true', () => {
    const schema = schemaOf({ properties: { x: { type: 'string' } }, additionalProperties: true })
    expect(validateInput(schema, { x: 'a', y: 1 })).toEqual({ ok: true, input: { x: 'a', y: 1 } })
    expect(messages(schema, { x: 1, y: 1 })).toHaveLength(1)
  })
})

const check = (value: unknown, name = 'image_url') => checkSourceUrl(name, { type: 'string' }, value)

const TAKES = 'must be an http or https URL, or a data URI such as data:image/png;base64,iVBORw0KGgo=, got '

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
    expect(check(value)).toBe(`${TAKES}"${value}"`)
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
    expect(checkSourceUrl('image_url', { type: 'string', enum: ['sample'] }, 'sample')).toBeUndefined()
    expect(checkSourceUrl('image_url', {}, 'sample')).toBeUndefined()
    expect(checkSourceUrl('image_url', { type: 'string', default: '' }, '')).toBeUndefined()
    expect(check(7)).toBeUndefined()
  })
})
