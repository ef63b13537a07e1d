import fc from 'fast-check'
import type { InputProperty, Model } from 'modelrun'

/** What has a meaning in code, in comments, for the compiler or for an editor: words, and what holds white space. */
const WORDS = [
  "*/ /* /** // * / *\u0000/ *\u200b/ *\ud800/ <!-- --> #! ' \" ` } { ; ] ]( \\ \\' \\u{27} \\u0027 \0 \ud800 \udfff \u202e \v \f \u0085",
  '@ts-ignore @ts-expect-error __proto__ constructor prototype toString readonly new get default 1 -1 1e3 a é 🦊',
]
const PIECES = [
  ...WORDS.flatMap((words) => words.split(' ')),
  ...[
    '\n',
    '\r',
    '\r\n',
    '\u2028',
    '\u2029',
    ' ',
    '\ufeff',
    '\t',
    '\n@ts-nocheck',
    '\n// @ts-ignore\n',
    '\n@deprecated',
  ],
  ...['{@link x}', '\n * @type {never}', '/// <reference path="x" />', '//# sourceMappingURL=x', '\n// modelrun {'],
  '*/ } } export const stolen = 1 /*',
  '${',
  '// modelrun {"id":"x","parameters":[]}',
]

const NAMES = ['__proto__', 'constructor', 'a-b', 'a.b', '1', '-1', '', 'a b', 'é', '#a', 'a?']

const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(...PIECES).map((piece) => piece.repeat(65_536 / piece.length)) },
)

// As it comes from the network: JSON.
const value = fc.oneof(
  fc.oneof(hostile, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
  fc.array(hostile, { maxLength: 2 }),
  fc.dictionary(hostile, hostile, { maxKeys: 2, noNullPrototype: true }),
)

const property: fc.Arbitrary<InputProperty> = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom('string', 'integer', 'number', 'boolean', 'object', 'array'),
      hostile,
      fc.array(hostile, { maxLength: 3 }),
    ),
    description: hostile,
    enum: fc.array(value, { maxLength: 4 }),
    default: value,
    minimum: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double()),
    maximum: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double()),
  },
  { requiredKeys: [] },
)

const model: fc.Arbitrary<Model> = fc.record({
  id: hostile,
  name: hostile,
  description: hostile,
  category: hostile,
  provider: hostile,
  status: hostile,
  pricing: fc.record({ credits_per_run: fc.oneof(fc.integer(), fc.double()) }),
  input_schema: fc.record({
    type: hostile,
    properties: fc.array(fc.tuple(hostile, property), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    required: fc.array(hostile, { maxLength: 2 }),
  }),
})

/** Models whose texts, names and values try to be code. */
export const hostileCatalog = fc.uniqueArray(model, { maxLength: 3, selector: ({ id }) => id })
