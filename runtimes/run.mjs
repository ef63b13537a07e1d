// Packs the packages, installs them as a user would, and runs one program on every runtime.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual, promisify } from 'node:util'

const TIME_LIMIT_MS = 60_000
const root = join(import.meta.dirname, '..')
const packages = { '@modelrun/contract': 'contract', modelrun: 'sdk', '@modelrun/reference-server': 'reference-server' }
const installed = (...path) => join(import.meta.dirname, 'node_modules', ...path)

const workerd = (date) => ({
  name: `workerd as of ${date}`,
  module: 'workerd',
  command: [process.execPath, join(import.meta.dirname, 'workerd.mjs'), date],
  // It has the same words for a connection that was refused and for one that broke: nothing else would be safe.
  submission: 'unknown',
})

const runtimes = [
  { name: 'Node 22', module: 'node-22', command: [installed('node-22/bin/node'), 'main.mjs'] },
  { name: 'Node 24', module: 'node-24', command: [installed('node-24/bin/node'), 'main.mjs'] },
  { name: 'Bun', module: 'bun', command: [installed('.bin/bun'), 'main.mjs'] },
  // No permission but the network: the environment may not be read.
  {
    name: 'Deno',
    module: 'deno',
    command: [installed('.bin/deno'), 'run', '--no-prompt', '--allow-net', 'main.mjs'],
    // What knows the types of files reads the environment: the error asks for --allow-env.
    picture: 'ConfigurationError',
  },
  workerd('2024-09-23'),
  workerd('2026-07-01'),
]

const expected = {
  run: 'succeeded',
  failure: 'PROVIDER_FAILURE',
  aborted: 'accepted',
  picture: 'data:image/gif;base64,R0lGODlhAAAA',
  noPicture: 'ConfigurationError',
  typo: ['/prompt', '/promt'],
  refused: true,
  broken: [
    { submission: 'unknown', postsUntilNow: 1 },
    { submission: 'unknown', postsUntilNow: 2 },
  ],
  charged: 60, // the film alone
  inbox: { answers: [202, 200], handled: ['job_1'] },
  webhook: 'succeeded',
  received: {
    outcomes: ['delivered', 'delivered'],
    refusals: { malformed: 400, tooLarge: 400, unsigned: 401 },
    handledOnce: true,
  },
  showsKey: false,
}

/** `--prefix`, because npm hands its own down to the commands that it starts. */
async function npm(folder, ...args) {
  await promisify(execFile)('npm', [...args, '--prefix', folder], { cwd: folder })
}

async function installPackages(folder) {
  const isBuilt = Object.values(packages).every((name) => existsSync(join(root, 'packages', name, 'dist')))
  if (!isBuilt) await npm(root, 'run', 'build')
  const workspaces = Object.keys(packages).flatMap((name) => ['--workspace', name])
  await npm(root, 'pack', '--pack-destination', folder, ...workspaces)
  const tarballs = (await readdir(folder)).map((name) => `./${name}`)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs)
  for (const name of ['program.mjs', 'main.mjs', 'worker.mjs', 'serve-inbox.mjs', 'deliver-results.mjs']) {
    await copyFile(join(import.meta.dirname, name), join(folder, name))
  }
}

async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

async function close(server) {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

/** Where a server listened a moment ago. The system gives out no port that `fetch` refuses to use. */
async function findClosedUrl() {
  const server = createServer()
  const url = await listen(server)
  await close(server)
  return url
}

/** Gets every POST and breaks its connection; whatever else it is asked, it answers with a list of models. */
function createBreakingService() {
  let posts = 0
  return createServer((request, response) => {
    if (request.method === 'POST') {
      posts += 1
      request.socket.resetAndDestroy()
    } else {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ models: [], total: posts, limit: 20, offset: 0 }))
    }
  })
}

async function runProgram([file, ...args], cwd) {
  const startedAt = performance.now()
  const child = spawn(file, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  // The whole group: some runtimes are the child of a launcher.
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), TIME_LIMIT_MS)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(timer)
  const ms = Math.round(performance.now() - startedAt)
  if (code === 0) return { ...JSON.parse(stdout), ms }
  throw new Error(`${code === null ? `no end within ${TIME_LIMIT_MS} ms` : `exit code ${code}`}\n${stdout}${stderr}`)
}

function differences({ facts, refused }, ownFacts) {
  const wanted = { ...expected, ...ownFacts }
  const found = { ...facts, submission: refused.submission }
  return Object.keys({ ...wanted, ...found })
    .filter((name) => !isDeepStrictEqual(found[name], wanted[name]))
    .map((name) => `${name}: ${JSON.stringify(found[name])} instead of ${JSON.stringify(wanted[name])}`)
}

async function check({ name, module, command, submission = 'not_sent', picture = expected.picture }, folder) {
  const { version } = JSON.parse(await readFile(installed(module, 'package.json'), 'utf8'))
  const service = createBreakingService()
  try {
    const outcome = await runProgram([...command, await findClosedUrl(), await listen(service)], folder)
    const problems = differences(outcome, { submission, picture })
    const result = problems.length === 0 ? 'ok' : problems.join('; ')
    const refusal = `\`${outcome.refused.submission}\` (${outcome.refused.reason})`
    return { isOk: problems.length === 0, cells: [name, version, outcome.agent, result, refusal, outcome.ms] }
  } catch (error) {
    console.error(`${name}: ${error.message}`)
    return { isOk: false, cells: [name, version, '', error.message.split('\n', 1)[0], '', ''] }
  } finally {
    await close(service)
  }
}

const folder = await mkdtemp(join(tmpdir(), 'modelrun-runtimes-'))
try {
  await installPackages(folder)
  console.log('| runtime | version | says it is | result | refused connection | ms |')
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const runtime of runtimes) {
    const { isOk, cells } = await check(runtime, folder)
    console.log(`| ${cells.join(' | ')} |`)
    if (!isOk) process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
