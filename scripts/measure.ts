/**
 * `npm run measure`: the size of the project. Lines of each package and of each folder of the lab, the exported names, and how
 * many files a reader passes on four ways through the packages. `-- --write` writes these files into docs/architecture.md;
 * `-- --check` only compares them.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { filesInLists, writeLists } from './way-lists.ts'
import { measureWays } from './ways.ts'

const PAGE = 'docs/architecture.md'
/** They have lock files of their own, and are not tests of this workspace. */
const TOOLS = /^lab\/(bench|consumers|mutation|runtimes)\//

function printLines(): void {
  const tracked = execFileSync('git', ['ls-files', 'packages', 'lab'], { encoding: 'utf8' }).trim().split('\n')
  const inPackages = tracked.filter((file) => /^packages\/[^/]+\/(src|test)\/.*\.tsx?$/.test(file))
  const inLab = tracked.filter((file) => /^lab\/[^/]+\/.*\.(ts|tsx|mjs|cjs|js)$/.test(file))
  const tests = inLab.filter((file) => !TOOLS.test(file))
  const rows = [...Map.groupBy(inPackages, placeOf), ...Map.groupBy(inLab, placeOf)]
  console.table(
    Object.fromEntries([
      ...rows.map(([place, files]) => [place, linesOf(files)]),
      ['all packages', linesOf(inPackages)],
      ['all packages, and tests of the lab', linesOf([...inPackages, ...tests])],
    ]),
  )
}

const placeOf = (file: string) => file.split('/').slice(0, 2).join('/')
const isTest = (file: string) => /\.(test|test-d)\.tsx?$|^packages\/([^/]+\/test|integration-tests)\/|^lab\//.test(file)

function linesOf(files: readonly string[]) {
  const shipped = files.filter((file) => !isTest(file))
  return { files: shipped.length, shipped: sum(shipped), tests: sum(files.filter(isTest)) }
}

function sum(files: readonly string[]): number {
  return files.reduce((total, file) => total + readFileSync(file, 'utf8').split('\n').length - 1, 0)
}

const page = readFileSync(PAGE, 'utf8')
const ways = await measureWays()
const written = writeLists(page, ways)
if (process.argv.includes('--check')) {
  const isTrue = filesInLists(written).join() === filesInLists(page).join()
  if (!isTrue) console.error(`${PAGE} has other files than those that run: npm run measure -- --write`)
  process.exitCode = isTrue ? 0 : 1
} else {
  printLines()
  const names = readFileSync('packages/integration-tests/src/public-names.txt', 'utf8')
  console.log(
    `${names.match(/^ {2}(value|type )/gm)?.length} exported names in ${names.match(/^\S/gm)?.length} entries`,
  )
  console.table(ways.map(({ name, files }) => ({ way: name, files: files.length })))
  if (process.argv.includes('--write')) writeFileSync(PAGE, written)
}
