import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the README example prints what the README says (sections 4.3 and 8)', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, example = '', printed] = readme.match(/```ts\n(.*?)```.*?```\n(.*?)```/s) ?? []
  const args = ['--conditions=@modelrun/source', '--input-type=module-typescript', '--eval', example]
  const output = execFileSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  })
  expect(output).toBe(printed)
})
