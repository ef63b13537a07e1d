import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import document from '@modelrun/reference-server/control-openapi.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { folderForTest } from '../../kit/test/temp-folder.ts'
import { readGuides } from './guide-programs.ts'
import { needs } from './services/programs.ts'
import { givenBy, takenBy } from './short-forms.ts'

const text = await readGuides('control-api.md')

interface Call {
  call: string
  what: string
  takes?: string | undefined
  gives: string
}

/** Shapes that several calls have: the table names them, and the table below it has their members. */
const SHAPES: Record<string, [call: string, place: RegExp]> = {
  KEY: ['GET /_reference/keys', /(.*)/],
  JOB: ['GET /_reference/activity', /jobs: \[(.*?)\]/],
  RUN: ['GET /_reference/jobs/{id}', /(.*)/],
  DELIVERY: ['GET /_reference/deliveries', /deliveries: \[(.*)\]/],
}

function shapesOf(calls: readonly Call[]): [name: string, members: string][] {
  return Object.entries(SHAPES).map(([name, [wanted, place]]) => {
    const found = calls.find(({ call }) => call === wanted)
    return [name, place.exec(found?.gives ?? '')?.[1] ?? '']
  })
}

const { paths, components } = document

const calls = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]): Call => {
    const { schemas } = components
    const [takes, gives = ''] = [takenBy(operation, schemas), givenBy(operation, schemas)]
    return { call: `${method.toUpperCase()} ${path}`, what: String(operation.summary), takes, gives }
  }),
)

/** The table of calls, from the OpenAPI document of the server. */
function tableOfCalls(calls: readonly Call[]): string {
  const shapes = shapesOf(calls)
  const named = (shape: string) => shapes.reduce((text, [name, members]) => text.replaceAll(members, name), shape)
  const rows = calls.map(({ call, what, takes, gives }) => row([code(call), what, code(takes), code(named(gives))]))
  return [row(['call', 'what', 'takes', 'gives']), row(['---', '---', '---', '---']), ...rows].join('\n')
}

function code(shape = ''): string {
  return /^[{?A-Z]/.test(shape) ? `\`${shape}\`` : shape
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

describe('the guide of the control API', () => {
  it('has every call, as the OpenAPI document describes it', () => {
    const shown = /<!-- calls: checked by a test -->\n\n(.*?)\n<!-- end of calls -->/s.exec(text)?.[1]
    expect(shown?.trim()).toBe(tableOfCalls(calls))
    for (const [name, members] of shapesOf(calls)) expect(text).toContain(`\n| \`${name}\` | \`${members}\``)
  })

  const { isMissing, note } = needs('python3')

  it.skipIf(isMissing)(`has an example in Python that runs${note}`, async () => {
    const program = /```python\n(.*?)```/s.exec(text)?.[1] ?? ''
    const cli = fileURLToPath(new URL('../../reference-server/src/node/cli.ts', import.meta.url))
    const command = [process.execPath, '--conditions=@modelrun/source', cli].map((part) => JSON.stringify(part))
    expect(program).toContain('"npx", "@modelrun/reference-server"')
    const folder = folderForTest()
    const file = join(folder, 'example.py')
    await writeFile(file, program.replace('"npx", "@modelrun/reference-server"', command.join(', ')))
    const { stdout, stderr } = await promisify(execFile)('python3', [file])
    expect({ stdout, stderr }).toEqual({ stdout: 'out of paint\nTrue\n0\n', stderr: '' })
  })
})
