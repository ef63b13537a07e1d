import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url))
const names = globSync('*/README.md', { cwd: folder }).map(dirname).sort()
const read = (path: string): string => readFileSync(folder + path, 'utf8')

/** Where it runs; where nothing stands, in Node. */
const RUNTIMES: Record<string, string> = {
  'bullmq-workers': 'Node, Redis',
  'cloudflare-worker': 'workerd',
  engines: 'Vercel Workflow, Restate, DBOS, AWS Lambda, Cloudflare, Inngest, Temporal',
  'msw-browser': 'browser',
  nextjs: 'Node, browser',
  python: 'Python',
  testing: 'Node, browser',
  'workers-postgres': 'Node, Postgres',
}

/** Of the program: its tests and settings left out. */
function linesOf(name: string): number {
  const files = globSync(`${name}/**/*.{ts,tsx,cjs,html,py}`, { cwd: folder })
  const own = files.filter((file) => !/node_modules|test_|\.(test|config|jest)\./.test(file))
  return own.flatMap((file) => read(file).split('\n')).filter((line) => line.trim() !== '').length
}

test('the table of examples is that of the folders; `vitest -u` writes it', async () => {
  const rows = names.map((name) => {
    const [, title = ''] = /^# (.+)$/m.exec(read(`${name}/README.md`)) ?? []
    return `| ${title} | [${name}](${name}) | ${RUNTIMES[name] ?? 'Node'} | ${linesOf(name)} |`
  })
  const head =
    '# Examples\n\nOne folder a task. Copy one, install what its page says, and run it against the reference server. Each has tests of its\nown (`node --test`), which CI runs with the packed packages.\n\n| task | folder | runs in | lines |\n| --- | --- | --- | --- |\n'
  await expect(`${head}${rows.join('\n')}\n`).toMatchFileSnapshot(`${folder}README.md`)
})

// Of the recipes: `engines/dbos.system.test.ts` and `lab/engines`.
test.each(names.filter((name) => name !== 'engines'))('%s has a test', (name) => {
  expect(globSync(`${name}/**/{*.test.ts,test_*.py,*.jest.cjs}`, { cwd: folder })).not.toEqual([])
})
