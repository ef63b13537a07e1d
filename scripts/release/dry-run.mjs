// `npm run release:dry`: what a release would publish, against the last release. Fails when a changeset is smaller than
// what changed, when a licence is not one of those below, or when a fresh project would have two copies of a package.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findCopies, installFresh, npm, packAll, readJson, root } from './packed.mjs'
import { compareApis, publicApi } from './public-api.mjs'

const LICENSES = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', '0BSD']
const STEPS = ['none', 'patch', 'minor', 'major']

const { values } = parseArgs({ options: { registry: { type: 'string' }, to: { type: 'string', default: '.release' } } })
const registry = values.registry === undefined ? [] : ['--registry', values.registry]
const scratch = mkdtempSync(join(tmpdir(), 'modelrun-release-'))
const problems = []
const planned = plannedSteps()
try {
  const packed = packAll(scratch)
  const names = packed.map(({ name }) => name)
  const fresh = join(scratch, 'fresh')
  installFresh(
    fresh,
    packed.map(({ path }) => path),
  )
  for (const [name, places] of findCopies(fresh, names)) problems.push(`${name} is installed ${places.length} times.`)
  const sbom = JSON.parse(npm(fresh, 'sbom', '--sbom-format', 'cyclonedx'))
  mkdirSync(join(root, values.to), { recursive: true })
  for (const entry of packed) report(entry, partOf(sbom, entry.name))
} finally {
  rmSync(scratch, { recursive: true })
}
for (const problem of problems) console.error(`\nNot ready: ${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0

function report(entry, sbom) {
  const { name, version } = entry
  const folder = join(scratch, 'fresh/node_modules', name)
  const last = lastRelease(name)
  const api = publicApi(folder)
  const difference = compareApis(last ? publicApi(last.folder) : new Map(), api)
  console.log(`\n${name} ${version}, ${last ? `after ${last.manifest.version}` : 'the first release'}`)
  console.log(`  files    ${entry.files.length}${last ? ` (${last.files})` : ''}`)
  console.log(
    `  size     ${kB(entry.size)} packed${last ? ` (${kB(last.size)})` : ''}, ${kB(entry.unpackedSize)} unpacked`,
  )
  console.log(`  exports  ${api.size}: ${[...api.keys()].join(', ') || 'a command'}`)
  if (last)
    for (const part of ['gone', 'come', 'changed'])
      console.log(`  ${part.padEnd(8)} ${difference[part].join(', ') || '-'}`)
  const licenses = Map.groupBy(
    sbom.components,
    ({ licenses: [first] = [] }) => first?.license?.id ?? first?.expression ?? 'none',
  )
  console.log(
    `  licences ${[...licenses].map(([license, of]) => `${license} ${of.length}`).join(', ') || 'of no other package'}`,
  )
  for (const [license, of] of licenses) {
    if (!isAllowed(license)) problems.push(`${name} needs ${of[0].name}, whose licence is ${license}.`)
  }
  writeFileSync(join(root, values.to, `${name.replace('/', '-')}.cdx.json`), `${JSON.stringify(sbom, undefined, 2)}\n`)
  if (last) checkStep(entry, last, difference)
}

/** One of them is enough where a package leaves the choice. */
function isAllowed(license) {
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ')
  return choices.some((choice) => LICENSES.includes(choice))
}

/** Before 1.0.0 a minor version may break, and a patch may add: a caret takes patches only. */
function checkStep({ name, version }, last, { breaks, come, changed }) {
  const isYoung = last.manifest.version.startsWith('0.')
  const least = breaks
    ? isYoung
      ? 'minor'
      : 'major'
    : come.length + changed.length > 0 && !isYoung
      ? 'minor'
      : 'patch'
  const step =
    version === last.manifest.version ? (planned.get(name) ?? 'none') : stepBetween(last.manifest.version, version)
  const isSame = !breaks && come.length + changed.length === 0
  console.log(`  step     ${step}${isSame ? '' : `, at least ${least}`}`)
  if (!isSame && STEPS.indexOf(step) < STEPS.indexOf(least)) {
    problems.push(`${name} is released as ${step}, and its types need ${least}. Change its changeset.`)
  }
}

function stepBetween(before, after) {
  const [one, two] = [before, after].map((version) => version.split('.'))
  return ['major', 'minor', 'patch'][one.findIndex((part, index) => part !== two[index])] ?? 'none'
}

/** What the changesets ask for. */
function plannedSteps() {
  const path = join(scratch, 'status.json')
  execFileSync('npx', ['changeset', 'status', '--output', path], { cwd: root, stdio: 'ignore' })
  return new Map(readJson(path).releases.map(({ name, type }) => [name, type]))
}

/** The newest version that the registry has; undefined when it has none. */
function lastRelease(name) {
  const into = join(scratch, 'last', name)
  mkdirSync(into, { recursive: true })
  try {
    const [entry] = Object.values(
      JSON.parse(npm(into, 'pack', `${name}@latest`, '--json', '--pack-destination', into, ...registry)),
    )
    execFileSync('tar', ['-xzf', join(into, entry.filename), '-C', into])
    const folder = join(into, 'package')
    // Types of other packages are found where the fresh project has them.
    execFileSync('ln', ['-s', join(scratch, 'fresh/node_modules'), join(folder, 'node_modules')])
    return { folder, manifest: readJson(join(folder, 'package.json')), files: entry.files.length, size: entry.size }
  } catch (error) {
    if (/E404|404 Not Found/.test(`${error.stdout}${error.stderr}`)) return
    throw error
  }
}

/** The part of a bill of materials that one package needs. */
function partOf(sbom, name) {
  const own = sbom.components.find((component) => [component.group, component.name].filter(Boolean).join('/') === name)
  const needs = new Map(sbom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const refs = new Set([own['bom-ref']])
  for (const ref of refs) for (const next of needs.get(ref) ?? []) refs.add(next)
  refs.delete(own['bom-ref'])
  const isPart = ({ 'bom-ref': ref }) => refs.has(ref)
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: own },
    components: sbom.components.filter(isPart),
    dependencies: sbom.dependencies.filter(({ ref }) => refs.has(ref) || ref === own['bom-ref']),
  }
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
