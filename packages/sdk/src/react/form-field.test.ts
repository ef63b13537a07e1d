import { expect, test } from 'vitest'
import { readField } from './form-field.tsx'

test.each([
  [{ type: 'string' }, '7', '7'],
  [{}, '7', '7'],
  [{ type: 'integer' }, '7', 7],
  [{ type: ['null', 'number'] }, '0.5', 0.5],
  [{ type: 'number', enum: [1, 2.5] }, '2.5', 2.5],
  [{ enum: ['square', true] }, 'true', true],
  [{ type: 'boolean' }, 'on', true],
  [{ type: 'boolean' }, null, false],
  [{ type: 'array' }, '[1,"a"]', [1, 'a']],
  [{ type: 'number' }, '', undefined],
  [{ type: 'string' }, '', undefined],
  [{ enum: ['square'] }, '', undefined],
])('reads the field of %j with %j as %j', (property, text, value) => {
  expect(readField(property, text)).toEqual(value)
})
