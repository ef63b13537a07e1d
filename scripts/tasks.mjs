// `npm run build` and `npm run check`: as many tasks at the same time as there are cores, each after those that it needs.
// Prints what a task printed when the task ends. The first failure is the last task that starts.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Longest first. Every build has code or types of the contract in it, as they are built. */
const OTHERS = ['sdk', 'reference-server', 'conformance', 'durable', 'dashboard', 'ai-sdk-provider', 'cli']

const build = (name, needs) => ({ name: `build ${name}`, needs, args: ['build', '--workspace', `packages/${name}`] })
const BUILDS = [build('contract', []), ...OTHERS.map((name) => build(name, ['build contract']))]
const ALL_BUILDS = BUILDS.map(({ name }) => name)
const script = (name, needs = []) => ({ name, needs, args: [name] })

const GOALS = {
  build: BUILDS,
  check: [
    ...BUILDS,
    ...['check:packages', 'check:links', 'size'].map((name) => script(name, ALL_BUILDS)),
    ...['typecheck', 'lint', 'unused', 'lint:words', 'lint:openapi', 'lint:workflows'].map((name) => script(name)),
  ],
}

/** @returns Whether it succeeded */
function perform({ name, args }) {
  const startedAt = performance.now()
  const child = spawn('npm', ['run', '--silent', ...args], { shell: process.platform === 'win32' })
  const printed = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000)
      console.log(`--- ${name}: ${code === 0 ? 'ok' : 'failed'}, ${seconds} s`)
      if (code !== 0 || process.env.CI) process.stdout.write(Buffer.concat(printed))
      resolve(code === 0)
    })
  })
}

async function performAll(tasks) {
  const waiting = new Set(tasks)
  const done = new Set()
  let isFailed = false
  const isReady = ({ needs }) => needs.every((name) => done.has(name))
  const running = new Set()
  while (running.size > 0 || (!isFailed && waiting.size > 0)) {
    const next = isFailed || running.size >= availableParallelism() ? undefined : [...waiting].find(isReady)
    if (next === undefined) {
      await Promise.race(running)
      continue
    }
    waiting.delete(next)
    const run = perform(next).then((isOk) => {
      if (isOk) done.add(next.name)
      else isFailed = true
      running.delete(run)
    })
    running.add(run)
  }
  return !isFailed
}

process.exitCode = (await performAll(GOALS[process.argv[2]])) ? 0 : 1
