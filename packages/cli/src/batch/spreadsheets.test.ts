import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { folderForFile } from '../../../kit/test/temp-folder.ts'
import { UsageError } from '../errors.ts'
import { readParameters } from '../run/parameters.ts'
import { readRows } from './read-rows.ts'
import { checkReport, describeRow, writeReport } from './report.ts'
import { rowContent } from './row-keys.ts'
import { createRows } from './rows.ts'

const folder = folderForFile()
const say = vi.fn()
const terminal = { say } as never

/** A model that takes runs without an input, so that nothing but the reading keeps blank rows from being paid. */
const schema = {
  type: 'object',
  properties: {
    prompt: { type: 'string' },
    seconds: { type: 'integer' },
    frames: { type: 'array', items: { type: 'integer' } },
    loop: { type: 'boolean' },
    style: { type: ['string', 'null'] },
    scale: { type: 'number' },
    image_url: { type: 'string' },
    seed: {},
  },
  required: [],
}
const parameters = readParameters({ input_schema: schema } as never, [])
const rules = { model: 'm', schema, parameters, key: undefined, ignored: [] as string[], files: undefined }

async function inputsOf(
  content: string | Buffer,
  more: { name?: string; ignored?: string[] } = {},
): Promise<unknown[]> {
  const inputs = join(folder, more.name ?? 'rows.csv')
  writeFileSync(inputs, content)
  const { rows } = await readRows({ inputs })
  return (await createRows(rows, { ...rules, ignored: more.ignored ?? [] })).map(({ input }) => ({ ...input }))
}

const texts = fc
  .string({ unit: fc.constantFrom(...'ab,;\t"\n =ß🦊'), minLength: 1, maxLength: 8 })
  .map((text) => `x${text}`)
const tables = fc.record({
  rows: fc.array(fc.record({ prompt: texts, seconds: fc.integer({ min: 0, max: 99 }) }), {
    minLength: 1,
    maxLength: 5,
  }),
  delimiter: fc.constantFrom(',', ';', '\t'),
  lineEnd: fc.constantFrom<'windows' | 'unix'>('windows', 'unix'),
  encoding: fc.constantFrom<BufferEncoding>('utf8', 'utf16le'),
  marks: fc.integer({ min: 0, max: 2 }),
  separatorLine: fc.boolean(),
  columnsWithoutName: fc.integer({ min: 0, max: 2 }),
  blanks: fc.array(fc.constantFrom('', ' ', '   '), { maxLength: 3 }),
})

describe('a table of a spreadsheet', () => {
  it('has the rows that its author sees, however it was written', async () => {
    const agrees = fc.asyncProperty(tables, async (table) => {
      const { rows, delimiter, lineEnd, encoding, separatorLine, columnsWithoutName } = table
      const width = 2 + columnsWithoutName
      const pad = (cells: string[]) => [...cells, ...Array.from({ length: width - cells.length }, () => '')]
      const filled = rows.map(({ prompt, seconds }) => pad([prompt, String(seconds)]))
      const blank = table.blanks.map((blank) => Array.from({ length: width }, () => blank))
      const lines = [pad(['prompt', 'seconds']), ...filled, ...blank]
      const text = stringify(lines, { delimiter, record_delimiter: lineEnd, quoted_match: /[\t\n]/ })
      const marks = '\ufeff'.repeat(encoding === 'utf8' ? table.marks : table.marks + 1)
      const content = Buffer.from(`${marks}${separatorLine ? `sep=${delimiter}\r\n` : ''}${text}`, encoding)
      expect(await inputsOf(content)).toEqual(rows)
    })
    await fc.assert(agrees, { numRuns: Number(process.env.FUZZ_RUNS ?? 300) })
  })

  it.each([
    ['an unquoted comma', 'prompt\na fox, in the snow\n', 'expect 1, got 2 on line 2'],
    ['a row that was cut', 'sep=,\nprompt,seconds\na fox\n', 'expect 2, got 1 on line 3'],
    ['a cell without a name', 'prompt,\na fox,me\n', 'line 2 has the cell "me"'],
    ['its heading again', 'prompt\na fox\nprompt\n', 'line 3 has the heading again'],
    ['a quote in a cell', 'prompt,seconds\na "fox,1\n', 'is not CSV: Invalid Opening Quote'],
    ['a NUL', 'prompt\na\0fox\n', 'prompt has a NUL character'],
    ...['#NAME?', '#REF!', '#N/A', '#VALUE!', '#DIV/0!', '#NULL!', '#NUM!'].map((error): [string, string, string] => {
      return [`the cell ${error}`, `prompt\na fox\n${error}\n`, `row 2: prompt has the error ${error} of a spreadsheet`]
    }),
    ['the last character of DOS', 'prompt\r\na fox\r\n\x1a', 'row 2: prompt has only characters that cannot be seen'],
    ['a space without width', 'prompt\n\u200b \u2060\n', 'row 1: prompt has only characters that cannot be seen'],
    ['a German thousand', 'prompt;seconds\na fox;1.000\n', 'seconds: 1.000 may be thousands or decimals'],
    ['thousands in a list', 'prompt;frames\na fox;1,000,000\n', 'frames: 1,000,000 may be thousands'],
    ['a large number', 'prompt,seconds\na,6687881544318117707\n', 'seconds: must have no whole number above'],
    [
      'the name of a file, without --files',
      'prompt,image_url\na,photo.png\n',
      'image_url: photo.png is not a url. Files',
    ],
    ['a French boolean', 'prompt;loop\na;VRAI\n', 'loop: VRAI is not a boolean. Write true or false'],
    ['a German decimal', 'prompt;scale\na;0,5\n', 'scale: 0,5 has a comma. Write decimals with a point'],
    ['no column of the model', 'text\na fox\n', 'No column is a parameter of the model m: text.'],
  ])('is rejected when it has %s', async (_, content, problem) => {
    const error = await inputsOf(content).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(UsageError)
    expect([String(error), ...(error instanceof UsageError ? error.details : [])].join('\n')).toContain(problem)
  })

  it('has values of the type of the model, however they are written', async () => {
    // Lines that end in three ways.
    const table = 'prompt,loop,seconds,seed\r\nTRUE,TRUE,1.0,007\na,False,,7\r'
    expect(await inputsOf(table)).toEqual([
      { prompt: 'TRUE', loop: true, seconds: 1, seed: '007' },
      { prompt: 'a', loop: false, seed: 7 },
    ])
    const lines = '{"prompt":"#REF!","loop":null,"style":null}\n'
    expect(await inputsOf(lines, { name: 'rows.jsonl' })).toEqual([{ prompt: '#REF!', style: null }])
  })

  it('has the same key and content however its lines end', async () => {
    const known = ['\n', '\r\n', '\r'].map((end) => {
      const input = { prompt: `a\\r${end}b`, frames: [`c${end}`], style: `\\${end}` } as never
      return rowContent(input, schema as never)
    })
    expect(new Set(known).size).toBe(1)
    expect(JSON.parse(known[0] ?? '')).toEqual({ frames: ['c\n'], prompt: 'a\\r\nb', style: '\\\n' })
    const raw = { row: 1, cells: new Map(Object.entries({ prompt: 'a\r\nb' })), isCsv: true }
    expect(await createRows([raw], { ...rules, key: 'prompt' })).toMatchObject([
      { key: 'a\nb', input: { prompt: 'a\r\nb' } },
    ])
  })

  it('pays for no row that has no value for the model', async () => {
    const content = 'no,prompt,author\n1,a fox,me\n2,,me\n3,  ,\n'
    expect(await inputsOf(content, { ignored: ['no', 'author'] })).toEqual([{ prompt: 'a fox' }])
    await expect(inputsOf('prompt\na fox\n', { ignored: ['prompt'] })).rejects.toThrow('No column is a parameter')
    const large = inputsOf('{"prompt":"a","id":9007199254740993}', { name: 'rows.jsonl', ignored: ['id'] })
    await expect(large).rejects.toThrow(UsageError)
  })

  it.each([
    ['report.csv', 'row,key,state\n1,k,failed\n', undefined],
    ['report.csv', '', undefined],
    ['key.csv', 'sk_test_1\n', 'is not an earlier report'],
    ...['report.xlsx', 'report.json', 'out', '.'].map((name) => [name, undefined, 'must end in .csv or .jsonl']),
    ['rows.jsonl', '{"key":"a","prompt":"a fox"}\n', 'is not an earlier report'],
    [join('out', 'batch.csv'), undefined, undefined],
    [join('out', '.modelrun', 'saved.jsonl'), undefined, 'is in the folder of the state'],
  ])('replaces an earlier report alone: %s with %j', (name, content, problem) => {
    const base = mkdtempSync(join(folder, 'r-'))
    const path = join(base, name ?? '')
    const check = () => checkReport(path, { out: join(base, 'out') })
    if (content !== undefined) {
      check()
      writeFileSync(path, content)
    }
    if (problem === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(problem)
  })

  it('replaces reports of its own, in both forms', () => {
    for (const name of ['own.csv', 'own.jsonl']) {
      const path = join(folder, name)
      const reports = [describeRow({ row: 1, key: 'a"b', attempt: 1 })]
      expect(writeReport(reports, { report: path, terminal })).toBe(0)
      expect(() => checkReport(path, {})).not.toThrow()
    }
  })

  it('says how to write a report that a spreadsheet has open, and hides nothing else', () => {
    const report = mkdtempSync(join(folder, 'r-'))
    expect(writeReport([], { report, terminal })).toBe(1)
    expect(say).toHaveBeenCalledWith(
      expect.stringMatching(/EISDIR.*The same command with --dry-run writes it, and sends nothing\.$/),
    )
  })

  it('runs nothing in the report, by whatever a spreadsheet splits', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'=+-@;,\t\r\n "\'a'), maxLength: 8 })
    const isSafe = fc.property(cell, cell, (error, prompt) => {
      const path = join(folder, 'report.csv')
      const row = { row: 1, key: 'k', attempt: 1, state: 'failed' as const, files: [], urls: [] }
      const none = {
        job_id: undefined,
        request_id: undefined,
        sent_at: undefined,
        credits: undefined,
        at_risk: undefined,
      }
      writeReport([{ ...row, ...none, error, input: { prompt } }], { report: path, terminal })
      const text = readFileSync(path, 'utf8')
      // Every cell is quoted, and none starts as a formula.
      expect(text).toMatch(/^(("([^"]|"")*")?[,\r\n]*)*$/)
      const cells = Array.from(text.matchAll(/"((?:[^"]|"")*)"/g), ([, cell]) => cell)
      expect(cells.filter((cell) => /^[=+@\t\r-]/.test(cell ?? ''))).toEqual([])
    })
    fc.assert(isSafe, { numRuns: 300 })
  })
})
