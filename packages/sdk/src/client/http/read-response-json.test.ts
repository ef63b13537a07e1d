import { jobResponseSchema, modelListSchema, runResponseSchema } from '@modelrun/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'
import { readJson } from './read-response.ts'

const received = (text: string, isCut = false): ReceivedResponse => ({
  status: 200,
  text,
  isCut,
  requestId: undefined,
  response: new Response(null),
})

/** Why a response cannot be read. */
function problemOf(schema: z.ZodMiniType, text: string, isCut = false): string {
  try {
    readJson(schema)(received(text, isCut))
  } catch (error) {
    if (error instanceof UnreadableResponse) return error.problem
    throw error
  }
  throw new Error('The response can be read.')
}

describe('readJson', () => {
  test('gives the value and keeps fields that it does not know', () => {
    const read = readJson(jobResponseSchema)
    expect(read(received('{"data":{"status":"queued","position":3},"extra":1}'))).toEqual({
      data: { status: 'queued', position: 3 },
      extra: 1,
    })
  })

  test.each([
    ['{"data":{"status":1}}', '/data/status'],
    [
      '{"data":{"status":"succeeded","output":{"type":"image","items":[{"type":"image"}]}}}',
      '/data/output/items/0/url',
    ],
    ['{"job":{}}', '/data'],
    ['[]', 'its root'],
    ['null', 'its root'],
  ])('says where %s has a wrong shape, as a JSON pointer', (text, pointer) => {
    expect(problemOf(jobResponseSchema, text)).toContain(`wrong shape at ${pointer}: `)
  })

  test('escapes a JSON pointer (RFC 6901)', () => {
    expect(problemOf(z.record(z.string(), z.number()), '{"a/b~c":"x"}')).toContain('at /a~1b~0c: ')
  })

  test('shows the first characters of a body that is not JSON, on one line', () => {
    expect(problemOf(jobResponseSchema, '<html>\n<body>')).toBe(
      'the body is not JSON; it starts with "<html>\\n<body>"',
    )
    expect(problemOf(jobResponseSchema, 'x'.repeat(80))).toContain(`"${'x'.repeat(80)}"`)
    expect(problemOf(jobResponseSchema, 'x'.repeat(10_000))).toContain(`"${'x'.repeat(80)}…"`)
  })

  test.each(['', ' \n '])('says that the body %j is empty', (text) => {
    expect(problemOf(jobResponseSchema, text)).toBe('the body is empty')
  })

  test('rejects a body that was cut, even when the part that arrived is JSON', () => {
    expect(problemOf(jobResponseSchema, '{"data":{"status":"queued"}}', true)).toBe(
      'the connection ended after 28 characters of the body',
    )
  })

  test('never pollutes a prototype', () => {
    const read = readJson(z.looseObject({ id: z.string() }))
    const value = read(
      received('{"id":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    )
    expect(value).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('polluted')
  })

  test('throws nothing but UnreadableResponse, whatever the text', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => text.slice(0, -1)),
    )
    const schemas = [jobResponseSchema, modelListSchema, runResponseSchema]
    fc.assert(
      fc.property(anyText, fc.constantFrom(...schemas), fc.boolean(), (text, schema, isCut) => {
        try {
          readJson<unknown>(schema)(received(text, isCut))
          return true
        } catch (error) {
          return error instanceof UnreadableResponse && error.problem !== ''
        }
      }),
      { numRuns: 500 },
    )
  })

  test('survives JSON that is nested deeper than any stack', () => {
    const deep = `{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(problemOf(jobResponseSchema, deep)).toContain('wrong shape at /data')
  })
})
