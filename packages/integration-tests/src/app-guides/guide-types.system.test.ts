import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeGuideApp } from './guide-app.ts'

const tsc = createRequire(import.meta.url).resolve('typescript/lib/tsc.js')
const base = fileURLToPath(new URL('../../../../tsconfig.base.json', import.meta.url))

test('the files of the guides of apps are exact TypeScript', async () => {
  await using compose = await writeGuideApp('docker-compose.md')
  await using next = await writeGuideApp('nextjs.md')
  const include = [compose, next].map(({ folder }) => `${folder}/**/*.ts`)
  const config = { extends: base, compilerOptions: { noEmit: true }, include, exclude: ['**/node_modules'] }
  await writeFile(join(next.folder, 'tsconfig.json'), JSON.stringify(config))
  const run = promisify(execFile)(process.execPath, [tsc, '-p', next.folder], { cwd: next.folder })
  expect(await run.catch((error: unknown) => error)).toMatchObject({ stdout: '', stderr: '' })
})
