import { describe, expect, it } from 'vitest'
import { checkSourceUrl } from './check-value.ts'

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
    '/files/a.png',
    'photo.png',
    '',
    'file:///a.png',
    'blob:https://a.test/1',
    'https://',
    's3://a/b',
  ])('may not be %j', (value) => {
    expect(check(value)).toBe(`${TAKES}"${value}"`)
  })

  it.each([
    ['data:;base64,AAAA', '; it must have a media type and ;base64 before the comma'],
    ['data:image;base64,AAAA', '; it must have a media type and ;base64 before the comma'],
    ['data:image/svg+xml,%3Csvg/%3E', '; it must have a media type and ;base64 before the comma'],
    ['data:image/png;base64', '; it must have a media type and ;base64 before the comma'],
    ['data:image/png;base64,', '; it holds no data'],
    ['data:image/png;base64,AAAAA', '; its data is not base64'],
    ['data:image/png;base64,AA-_', '; its data is not base64'],
    ['data:image/png;base64,[object Blob]', '; its data is not base64'],
  ])('may not be the data URI %j', (value, reason) => {
    expect(check(value)).toBe(`${TAKES}"${value}"${reason}`)
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
