import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ASSUMPTION_NOTES, type AssumptionNote, DEFAULT_ASSUMPTIONS } from '@modelrun/reference-server'
import * as sdk from 'modelrun'
import * as webhooks from 'modelrun/webhooks'
import { expect, it } from 'vitest'

const guides = fileURLToPath(new URL('../../../docs/guides/', import.meta.url))

it('lists every assumption of the reference server (npx vitest run packages/integration-tests/src/guides -u writes the page)', async () => {
  await expect(assumptionsPage()).toMatchFileSnapshot(`${guides}assumptions.md`)
})

it('has a note for every switch of the reference server', () => {
  const noted = ASSUMPTION_NOTES.flatMap((note) => note.switch ?? [])
  const { rejections, ...switches } = DEFAULT_ASSUMPTIONS
  expect(noted.sort()).toEqual(Object.keys(switches).sort())
  const listed = ASSUMPTION_NOTES.flatMap((note) => note.rejections ?? [])
  expect(listed.sort()).toEqual(Object.keys(rejections).sort())
})

it('explains every error class, with its code', async () => {
  const page = await readFile(`${guides}errors.md`, 'utf8')
  const isShown = (name: string) => /^[A-Z]\w+Error$/.test(name) && name !== 'ModelRunError'
  const classes = Object.entries({ ...sdk, ...webhooks }).filter(([name]) => isShown(name))
  expect(classes.length).toBeGreaterThan(15)
  for (const [name, value] of classes) {
    const code: unknown = Reflect.get((value as { prototype: object }).prototype, 'code')
    expect(page).toContain(`| \`${name}\` | \`${code}\` |`)
  }
})

function assumptionsPage(): string {
  const rows = ASSUMPTION_NOTES.map(assumptionRow).join('\n')
  return `# What the reference server assumes

The specification leaves these questions open. Code that works with every alternative works with whatever the real
service does. The last column has the members of \`createReferenceServer({ assumptions: { … } })\` that choose another one. This
page is made from \`ASSUMPTION_NOTES\`.

| name | section | question | choice | alternatives | switch |
| --- | --- | --- | --- | --- | --- |
${rows}
`
}

function assumptionRow(note: AssumptionNote): string {
  const alternatives = note.alternatives.join('; ')
  const switches = [
    ...(note.switch ? [note.switch] : []),
    ...(note.rejections ?? []).map((kind) => `rejections.${kind}`),
  ]
  const members = switches.map((name) => `\`${name}\``).join(', ')
  const cells = [`\`${note.name}\``, note.section, note.question, note.choice, alternatives, members]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
