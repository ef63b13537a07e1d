import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ASSUMPTION_NOTES, type AssumptionNote } from '@modelrun/contract/assumptions'
import { fixtures } from '@modelrun/contract/fixtures'
import * as sdk from 'modelrun'
import * as webhooks from 'modelrun/webhooks'
import { expect, it } from 'vitest'
import { ROOT } from './code-blocks.ts'

const guides = join(ROOT, 'docs/guides/')

it('lists every assumption of the reference server (npx vitest run packages/integration-tests/src/guides -u writes the page)', async () => {
  await expect(assumptionsPage()).toMatchFileSnapshot(`${guides}assumptions.md`)
})

it('explains every error class, with its code', async () => {
  const page = await readFile(`${guides}errors.md`, 'utf8')
  // Without the root class, and without those that a handler of the user throws.
  const others = ['ModelRunError', 'RetryAfterError', 'NonRetriableError']
  const isShown = (name: string) => /^[A-Z]\w+Error$/.test(name) && !others.includes(name)
  const classes = Object.entries({ ...sdk, ...webhooks }).filter(([name]) => isShown(name))
  expect(classes.length).toBeGreaterThan(15)
  for (const [name, value] of classes) {
    const code: unknown = Reflect.get((value as { prototype: object }).prototype, 'code')
    expect(page).toContain(`| \`${name}\` | \`${code}\` |`)
  }
})

it('shows no code of an error that the contract does not have', () => {
  // `GONE` is the code of another service, in the example of a profile.
  const known = new Set(JSON.stringify([fixtures, ASSUMPTION_NOTES, 'GONE']).match(/[A-Z_]{4,}/g))
  const documents = globSync('{docs/guides,.,packages/*,examples/*}/*.md', { cwd: ROOT })
  const shown = documents.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), 'utf8')
    const codes = text.matchAll(/(?:\b[45]\d\d,? `?|\bcode["`]?: ['"`])([A-Z_]{4,})/g)
    return Array.from(codes, ([, code = '']) => ({ document, code }))
  })
  expect(shown.length).toBeGreaterThan(10)
  // `ERR_` starts the codes of axios.
  expect(shown.filter(({ code }) => !known.has(code) && !code.startsWith('ERR_'))).toEqual([])
})

function assumptionsPage(): string {
  const settings = ASSUMPTION_NOTES.filter(({ setting }) => setting !== undefined)
  const others = ASSUMPTION_NOTES.filter(({ setting }) => setting === undefined)
  const settingRow = ({ setting, section, question, choice, values = '' }: AssumptionNote) =>
    row([`\`${setting}\``, section, question, choice, values])
  return `# What the reference server assumes

The specification leaves these questions open. This page is made from \`ASSUMPTION_NOTES\`.

## With a setting

Code that works with every value works with whatever the real service does. A setting is a member of
\`createReferenceServer({ assumptions: { … } })\`, or \`--assume name=value\` on the command line.

| setting | section | question | default | values |
| --- | --- | --- | --- | --- |
${settings.map(settingRow).join('\n')}

## Without a setting

| section | question | choice |
| --- | --- | --- |
${others.map(({ section, question, choice }) => row([section, question, choice])).join('\n')}
`
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
