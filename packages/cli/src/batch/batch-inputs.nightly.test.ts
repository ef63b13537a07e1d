import { beforeEach, describe, expect, it } from 'vitest'
import { BATCH, type SmallFiles, serveDear, serveSmallFiles } from '../../test/batch-fixtures.ts'
import { cli, useCli } from '../../test/cli-harness.ts'

let files: SmallFiles

useCli()
beforeEach(async () => {
  files = await serveSmallFiles()
  files.script(cli, 20)
})

const withInputs = (name: string, ...more: string[]) => [...BATCH, '--inputs', name, ...more]

/** Spellings of one row. `square_hd` and 1 are the defaults of the model. */
const SPELLINGS: [name: string, content: string][] = [
  ['a.csv', 'prompt,num_images\n"a\nfox",1\n'],
  ['b.csv', 'num_images,prompt\r\n1.0,"a\r\nfox"\r\n'],
  ['c.csv', 'prompt\n"a\rfox"\n'],
  ['d.tsv', 'prompt\timage_size\n"a\nfox"\tsquare_hd\n'],
  ['e.jsonl', '{"prompt":"a\\nfox","num_images":1}\n'],
  ['f.jsonl', '{"image_size":"square_hd","num_images":1e0,"prompt":"a\\r\\nfox"}'],
  ['g.json', '[\n  { "prompt": "a\\nfox" }\n]\n'],
  ['h.json', '{\n  "prompt": "a\\nf\\u006fx"\n}\n'],
]

describe('the rows of a batch', () => {
  it('are known however they are written', async () => {
    for (const [name, text] of SPELLINGS) {
      await cli.write(name, text)
      const { code, stdout } = await cli.run(withInputs(name))
      expect([name, code, stdout]).toEqual([name, 0, 'STATE      ROWS\nsucceeded  1\n'])
    }
    expect(cli.inputs()).toHaveLength(1)
  })

  it('are known when the service has changed a default since', async () => {
    const dear = await serveDear(cli)
    await cli.write('rows.csv', 'prompt,num_images\na fox,1\na fox,2\na hare,\na hare,1\n')
    const start = async () => await cli.run(withInputs('rows.csv'), { env: dear.env })
    expect((await start()).code).toBe(0)
    dear.parameter.default = 2
    expect(await start()).toMatchObject({ code: 0, stdout: 'STATE      ROWS\nsucceeded  4\n' })
    expect(cli.inputs()).toHaveLength(4)
  })

  it('are not paid when none of them is in a used folder, unless --new-rows says so', async () => {
    await cli.write('a.csv', 'prompt\na fox\n')
    await cli.run(withInputs('a.csv'))
    await cli.write('b.csv', 'prompt\na hare\na lynx\n')
    const { code, stderr } = await cli.run(withInputs('b.csv', '--yes'))
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('has a batch of 1 run, and none of them is of a row of this file.'),
    ])
    expect(cli.inputs()).toHaveLength(1)
    expect((await cli.run(withInputs('b.csv', '--new-rows'))).code).toBe(0)
    expect((await cli.run(withInputs('b.csv'))).code).toBe(0)
    expect(cli.inputs()).toHaveLength(3)
  })

  it('may have columns that the model does not get', async () => {
    await cli.write('rows.csv', `prompt,author,date\n${'a fox,me,today\n'.repeat(30)}`)
    const { code, stderr } = await cli.run(withInputs('rows.csv'))
    expect([code, stderr.match(/author: no such parameter/g)]).toEqual([2, ['author: no such parameter']])
    expect(stderr).toContain('--ignore-columns author,date. A column that names the rows goes into --key <column>.')
    await cli.write('rows.csv', 'prompt,author,date\na fox,me,today\n')
    const args = withInputs('rows.csv', '--ignore-columns', 'author,date', '--report', 'report.jsonl')
    expect((await cli.run(args)).code).toBe(0)
    expect(cli.inputs()).toEqual([{ prompt: 'a fox' }])
    expect(JSON.parse(await cli.read('report.jsonl'))).toMatchObject({
      row: 1,
      state: 'succeeded',
      credits: 4,
      urls: [expect.stringMatching(/^http:.*\.png$/)],
      input: { prompt: 'a fox', author: 'me', date: 'today' },
    })
  })

  it('are not sent when bytes of the file are not UTF-8', async () => {
    const latin1 = Buffer.from('prompt\nein Hase\nein süßer Hase\n', 'latin1')
    await cli.write('rows.csv', latin1)
    const { code, stderr } = await cli.run(withInputs('rows.csv'))
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not UTF-8: line 3, column 6. Nothing was sent.')])
    await cli.write('rows.csv', '\ufeffprompt\nein Hase\nein süßer Hase\n')
    expect((await cli.run(withInputs('rows.csv'))).code).toBe(0)
    expect(cli.inputs()).toEqual(expect.arrayContaining([{ prompt: 'ein süßer Hase' }]))
  })

  it('are objects, and all others are named', async () => {
    await cli.write('rows.jsonl', 'a fox\n{"prompt":"a"}\n"a hare"\n[1]\n')
    const { code, stderr } = await cli.run(withInputs('rows.jsonl'))
    expect([code, stderr]).toEqual([2, expect.stringContaining('\n  Line 1, 3, 4\n')])
    expect(stderr).toContain("jq -Rc '{prompt: .}'")
  })
})
