// Before a release: the repository is named, and every package has a changelog of its version. Writes `repository`,
// `homepage` and `bugs` into the packages; the checkout of a release is thrown away afterwards.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const url = repository?.url ?? repository
const packages = globSync('packages/*/package.json')
  .toSorted()
  .map((path) => ({ path, manifest: JSON.parse(readFileSync(path, 'utf8')) }))
  .filter(({ manifest }) => !manifest.private)

const problems = packages.flatMap(changelogProblem)
if (!/^https:\/\/\S+$/.test(url ?? '')) {
  problems.unshift(
    'package.json of the root has no `repository`. Set it to the public https url of the repository, such as ' +
      '"repository": "https://…/modelrun"; the packages get `repository`, `homepage` and `bugs` from it.',
  )
}
for (const problem of problems) console.error(`Not released: ${problem}`)
if (problems.length > 0) process.exit(1)
for (const { path, manifest } of packages) {
  writeFileSync(path, `${JSON.stringify({ ...manifest, ...placeOf(dirname(path)) }, undefined, 2)}\n`)
}

function changelogProblem({ path, manifest: { name, version } }) {
  const changelog = join(dirname(path), 'CHANGELOG.md')
  const hasVersion = existsSync(changelog) && readFileSync(changelog, 'utf8').includes(`\n## ${version}\n`)
  return hasVersion ? [] : [`${name} has no changelog of version ${version}. Run \`npm run version-packages\` first.`]
}

function placeOf(directory) {
  const web = url.replace(/^git\+|(\.git)?\/?$/g, '')
  return {
    repository: { type: 'git', url: `git+${web}.git`, directory },
    homepage: `${web}/tree/HEAD/${directory}#readme`,
    bugs: `${web}/issues`,
  }
}
