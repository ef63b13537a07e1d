import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { folderForTest } from '../../kit/test/temp-folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The changes of "Add a response member" in docs/how-to-extend.md: `seed` in the 200 of a run. */
const CHANGES = [
  ['contract/src/run.ts', '  credits_used: number\n}', '  credits_used: number\n  seed?: number | undefined\n}'],
  ['contract/src/run.ts', 'credits_used: z.number(),', 'credits_used: z.number(),\n    seed: z.optional(z.number()),'],
  [
    'reference-server/src/routes/run.ts',
    "...identityOf(job, 'completed'),",
    "...identityOf(job, 'completed'), seed: 7,",
  ],
  ['sdk/src/client/jobs/run-result.ts', '  output: Output\n', '  output: Output\n  seed?: number | undefined\n'],
] as const

/** A run by a client, and one by a page through the proxy. */
const PROGRAM = `
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { createProxy } from 'modelrun/proxy'

const server = createReferenceServer({ clock: 'auto' })
const client = new ModelRun(server.clientOptions())
const { seed } = await client.run('aurora-image', { prompt: 'a fox' })
const proxy = createProxy({
  client,
  models: ['aurora-image'],
  dangerouslyAllowAnyone: true,
  secret: 's'.repeat(32),
  budget: { credits: Infinity },
  basePath: '/api',
})
const body = JSON.stringify({ input: { prompt: 'a fox' } })
const headers = { 'content-type': 'application/json', origin: 'https://app.test' }
const response = await proxy.handle(new Request('https://app.test/api/v1/models/aurora-image/run', { method: 'POST', headers, body }))
console.log(JSON.stringify({ seed, page: (await response.json()).seed }))
process.exit()
`

/** The packages in a folder of their own, which import each other there. */
async function copyPackages(): Promise<string> {
  const copy = folderForTest()
  await mkdir(join(copy, 'node_modules/@modelrun'), { recursive: true })
  for (const [folder, name] of Object.entries(NAMES)) {
    await mkdir(join(copy, folder))
    await cp(join(root, 'packages', folder, 'src'), join(copy, folder, 'src'), { recursive: true })
    await cp(join(root, 'packages', folder, 'package.json'), join(copy, folder, 'package.json'))
    await symlink(join(copy, folder), join(copy, 'node_modules', name))
  }
  const others = (await readdir(join(root, 'node_modules'))).filter((name) => !/^(@modelrun|modelrun|\.)/.test(name))
  await Promise.all(others.map((name) => symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name))))
  return copy
}

const NAMES = {
  contract: '@modelrun/contract',
  kit: '@modelrun/kit',
  'reference-server': '@modelrun/reference-server',
  sdk: 'modelrun',
}

it('a new member of a response is a change of at most six files, from the server to client and page', async () => {
  const page = await readFile(`${root}docs/how-to-extend.md`, 'utf8')
  const copy = await copyPackages()
  for (const [file, before, after] of CHANGES) {
    expect(page).toContain(`\`${file}\``)
    const text = await readFile(join(copy, file), 'utf8')
    expect(text.split(before), `${file} has the line once`).toHaveLength(2)
    await writeFile(join(copy, file), text.replace(before, after))
  }
  await writeFile(join(copy, 'program.ts'), PROGRAM)
  const { stdout } = await promisify(execFile)('node', ['--conditions=@modelrun/source', join(copy, 'program.ts')])
  expect(JSON.parse(stdout)).toEqual({ seed: 7, page: 7 })
})
