import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { InputProperty, Model } from 'modelrun'
import { findInputIssues } from 'modelrun/models'
import { describe, expect, it } from 'vitest'
import { folderForFile } from '../../../kit/test/temp-folder.ts'
import { UsageError } from '../errors.ts'
import { buildInput, inputProblems } from './input.ts'
import { readParameters } from './parameters.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 400)
type Schema = Model['input_schema']

const folder = folderForFile()

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']
const names = fc.constantFrom('prompt', 'num_images', 'seed', 'a/b', 'a~b', '~1', 'constructor', '', 'é', 'x\u001b[2J')
const scalars = fc.oneof(
  fc.constantFrom<unknown>('square', 'round', '', '1', 'true', 'null', ' 2', 1, 0, -1, 2.5, 4, true, false, null),
)
const values = fc.oneof(scalars, fc.constantFrom<unknown>([], ['square'], {}, { width: 1 }))
const properties: fc.Arbitrary<InputProperty> = fc.record(
  {
    type: fc.oneof(fc.constantFrom(...TYPES), fc.subarray(TYPES, { minLength: 1, maxLength: 3 })),
    enum: fc.array(scalars, { minLength: 1, maxLength: 4 }),
    default: values,
    minimum: fc.integer({ min: -2, max: 2 }),
    maximum: fc.integer({ min: 0, max: 5 }),
  },
  { requiredKeys: [] },
)
const schemas: fc.Arbitrary<Schema> = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(names, properties, { maxKeys: 5 }),
  required: fc.array(names, { maxLength: 3 }),
})
const anyInput = fc.dictionary(names, values, { maxKeys: 3 })
/** Half of the inputs have the names of the schema. */
const cases = schemas.chain((schema) => {
  const ownNames = fc.constantFrom(...Object.keys(schema.properties), 'prompt')
  return fc.tuple(fc.constant(schema), fc.oneof(anyInput, fc.dictionary(ownNames, values, { maxKeys: 2 })))
})

/** The input that the command would send; undefined when it ends with a usage error. */
async function commandInput(
  schema: Schema,
  { document, given = new Map() }: { document?: object; given?: ReadonlyMap<string, string[]> },
): Promise<{ input: object } | { problem: string }> {
  const input = document === undefined ? undefined : join(folder, 'input.json')
  if (input !== undefined) await writeFile(input, JSON.stringify(document))
  const parameters = readParameters({ input_schema: schema } as Model, [])
  const options = { input, wait: true, save: true }
  try {
    return { input: await buildInput({ schema, parameters, given, options, readsStdin: false }) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { problem: [error.message, ...error.details].join('\n') }
  }
}

describe('the input of a run', () => {
  it('is rejected by the command exactly when the client rejects it (section 2.3)', async () => {
    let [valid, invalid] = [0, 0]
    const agree = fc.asyncProperty(cases, async ([schema, input]) => {
      const issues = findInputIssues(schema, input)
      const result = await commandInput(schema, { document: input })
      if (issues.length === 0) {
        valid += 1
        expect(result).toEqual({ input })
      } else {
        invalid += 1
        expect(result).toEqual({ problem: expect.stringContaining('Nothing was sent.') })
        // A line for each issue.
        expect('problem' in result && result.problem.split('\n')).toHaveLength(issues.length + 1)
      }
    })
    await fc.assert(agree, { numRuns })
    expect(Math.min(valid, invalid)).toBeGreaterThan(numRuns / 20)
  })

  it('can have every allowed value by a flag', async () => {
    const allowed = fc.asyncProperty(properties, fc.array(scalars, { minLength: 1 }), async (property, listed) => {
      const schema: Schema = { type: 'object', properties: { value: { ...property, enum: listed } }, required: [] }
      for (const value of listed) {
        if (findInputIssues(schema, { value }).length > 0) continue
        const given = new Map([['value', [String(value)]]])
        expect(await commandInput(schema, { given })).toEqual({
          input: { value: expect.toSatisfy((sent) => listed.includes(sent)) },
        })
      }
    })
    await fc.assert(allowed, { numRuns })
  })

  it.each([[Number.MAX_SAFE_INTEGER + 2], [Number.POSITIVE_INFINITY], [[{ seed: Number.NEGATIVE_INFINITY }]]])(
    'is rejected with the number of %j, which JSON would change',
    (value) => {
      const schema: Schema = { type: 'object', properties: { value: {} }, required: [] }
      expect(inputProblems({ schema, parameters: [] }, { value })).toEqual([expect.stringContaining('JSON would')])
    },
  )
})
