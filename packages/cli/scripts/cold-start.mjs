// How long commands take to start, beside an empty Node process: the built command, in turns. The least
// time says most on a busy machine.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROUNDS = Number(process.argv[2] ?? 21)
const bin = fileURLToPath(new URL('../bin/modelrun.js', import.meta.url))
const commands = {
  'an empty process': ['-e', ''],
  'modelrun --version': [bin, '--version'],
  'modelrun --help': [bin, '--help'],
  'modelrun job, of the ledger': [bin, 'job'],
  'modelrun job <id>, no service': [bin, 'job', 'job_1'],
}
const env = { ...process.env, MODELRUN_API_KEY: 'sk_test_x', MODELRUN_BASE_URL: 'http://127.0.0.1:9' }

function measure(args) {
  const startedAt = performance.now()
  spawnSync(process.execPath, args, { env })
  return performance.now() - startedAt
}

const medianOf = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
const times = new Map(Object.keys(commands).map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(commands)) times.get(name).push(measure(args))
}
const empty = medianOf(times.get('an empty process'))
console.log('| command | median | over an empty process | least |\n| --- | --- | --- | --- |')
for (const [name, all] of times) {
  const median = medianOf(all)
  console.log(
    `| ${name} | ${median.toFixed(0)} ms | ${(median - empty).toFixed(0)} ms | ${Math.min(...all).toFixed(0)} ms |`,
  )
}
