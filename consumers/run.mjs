// Runs every case, or with --quick those for every day, and prints a table.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cases } from './cases.mjs'

const TIME_LIMIT_MS = 120_000
const MAX_OUTPUT = 4_000
const isQuick = process.argv.includes('--quick')

function createProject({ name, workspace, files, ownPackages = [] }) {
  const folder = join(import.meta.dirname, workspace, 'out', name.replaceAll(/[^\w.]+/g, '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  for (const name of ownPackages) {
    cpSync(join(import.meta.dirname, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  }
  return folder
}

/** The file behind a command, as the project has it installed, and its version. Without a tool: Node's. */
function findTool(tool, folder) {
  if (tool === undefined) return { version: process.versions.node, start: [] }
  const manifest = createRequire(join(folder, 'x.js')).resolve(`${tool.package}/package.json`)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { version, start: [join(dirname(manifest), tool.bin)] }
}

function runNode(args, cwd) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_|FORCE_)/.test(name)),
  )
  const options = { cwd, env: { ...env, NO_COLOR: '1' }, timeout: TIME_LIMIT_MS, maxBuffer: 2 ** 26 }
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: stdout + stderr }),
    )
  })
}

async function check({ prepare, refusal, ...project }) {
  const startedAt = performance.now()
  const folder = createProject(project)
  const { version, start } = findTool(project.tool, folder)
  const prepared = prepare && (await runNode([...findTool(prepare.tool, folder).start, ...prepare.args], folder))
  const { isOk, output } = prepared?.isOk === false ? prepared : await runNode([...start, ...project.args], folder)
  const isRefused = !isOk && refusal?.test(output)
  const result = isRefused ? 'refused, as expected' : isOk && refusal === undefined ? 'ok' : 'failed'
  if (result === 'failed') console.error(`${project.name}:\n${output.slice(0, MAX_OUTPUT)}`)
  console.log(`| ${project.name} | ${version} | ${result} | ${Math.round(performance.now() - startedAt)} |`)
  return result !== 'failed'
}

console.log('| project | version | result | ms |\n| --- | --- | --- | --- |')
let failures = 0
for (const each of cases) if (!isQuick || each.isQuick) failures += (await check(each)) ? 0 : 1
console.log(`\n${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1
