// Runs every case, with --quick those for every day, or those whose names hold an argument, and prints a table.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { cases } from './cases.mjs'

const TIME_LIMIT_MS = 120_000
const MAX_OUTPUT = 4_000
const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true })
const chosen = cases.filter(
  ({ name, isQuick }) =>
    (isQuick || !values.quick) && (positionals.length === 0 || positionals.some((part) => name.includes(part))),
)

/** Not what belongs to the folder that is copied: `npx` and Node look for the nearest of these. */
const isCopied = (path) => !/[\\/](node_modules|package\.json)$/.test(path)

function createProject({ name, workspace, files = {}, copied, ownPackages = [] }) {
  const folder = join(import.meta.dirname, workspace, 'out', name.replaceAll(/[^\w.]+/g, '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  if (copied) cpSync(copied, folder, { recursive: true, filter: isCopied })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  for (const name of ownPackages) {
    cpSync(join(import.meta.dirname, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  }
  return folder
}

/** The file behind a tool, as the project has it installed, and its version. Without a tool: Node's. */
function findTool(tool, folder) {
  if (tool === undefined) return { version: process.versions.node, start: [] }
  const manifest = createRequire(join(folder, 'x.js')).resolve(`${tool.package}/package.json`)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { version, start: [join(dirname(manifest), tool.bin)] }
}

/** The programs of the machine that would do for a case, and the first that is there. */
function findProgram({ command, needsBrowser }) {
  const names = command === undefined ? (needsBrowser ? ['chromium', 'google-chrome'] : []) : [command]
  const paths = names.flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)))
  return { names, path: paths.find((path) => existsSync(path)) }
}

function run(program, args, { cwd, browser }) {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_|FORCE_)/.test(name)),
  )
  const env = { ...inherited, NO_COLOR: '1', ...(browser && { BROWSER: browser }) }
  const options = { cwd, env, timeout: TIME_LIMIT_MS, maxBuffer: 2 ** 26 }
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: stdout + stderr }),
    )
  })
}

async function execute({ prepare, ...project }, path) {
  const folder = createProject(project)
  const { version, start } = findTool(project.tool, folder)
  const options = { cwd: folder, browser: project.needsBrowser ? path : undefined }
  const compile = prepare && findTool(prepare.tool, folder).start
  const prepared = compile && (await run(process.execPath, [...compile, ...prepare.args], options))
  if (prepared?.isOk === false) return { version, ...prepared }
  if (project.command === undefined) {
    return { version, ...(await run(process.execPath, [...start, ...project.args], options)) }
  }
  const { output } = await run(path, ['--version'], options)
  return { version: output.replace(/[^\d.]/g, ''), ...(await run(path, project.args, options)) }
}

async function check(project) {
  const startedAt = performance.now()
  const { names, path } = findProgram(project)
  if (names.length > 0 && path === undefined) {
    const isLeftOut = process.env.REQUIRE_SERVICES !== '1'
    const result = `${isLeftOut ? 'left out' : 'failed'}: ${names.join(' or ')} is not installed`
    console.log(`| ${project.name} | | ${result} | 0 |`)
    return isLeftOut
  }
  const { version, isOk, output } = await execute(project, path)
  const isRejected = !isOk && project.rejection?.test(output)
  const result = isRejected ? 'rejected, as expected' : isOk && project.rejection === undefined ? 'ok' : 'failed'
  if (result === 'failed') console.error(`${project.name}:\n${output.slice(0, MAX_OUTPUT)}`)
  const [, note] = /\bnote: (.+)/.exec(output) ?? []
  const cell = note === undefined ? result : `${result}: ${note}`
  console.log(`| ${project.name} | ${version} | ${cell} | ${Math.round(performance.now() - startedAt)} |`)
  return result !== 'failed'
}

console.log('| project | version | result | ms |\n| --- | --- | --- | --- |')
let failures = 0
for (const each of chosen) failures += (await check(each)) ? 0 : 1
console.log(`\n${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1
