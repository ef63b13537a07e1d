import { beforeEach, describe, expect, it } from 'vitest'
import {
  BATCH,
  FAILED,
  promptLines,
  rejecting,
  sendsByPrompt,
  sentRuns,
  serveSmallFiles,
} from '../../test/batch-fixtures.ts'
import { cli, type Finished, useCli } from '../../test/cli-harness.ts'

/** What changes when the user repairs something. */
let repair: () => void
let env: Record<string, string>

useCli({ credits: 1_000 })
beforeEach(async () => {
  repair = () => {}
  env = {}
})

const ARGS = [...BATCH, '--inputs', 'rows', '--concurrency', '1']
const WITHOUT_LIMIT = ['batch', 'aurora-image', '--out', 'out', '--inputs', 'rows']
const jobs = () => cli.server.journal.entries({ kind: 'job' })
const run = (args = ARGS) => cli.run(args, { env })

/** Ends the batch by a signal when its first job exists. */
async function killed(signal: NodeJS.Signals): Promise<Finished> {
  const { child, ended } = cli.start(ARGS)
  await expect.poll(() => jobs().length).toBeGreaterThan(0)
  child.kill(signal)
  return ended
}

/** Ways in which a batch of the rows 0, 1 and 2 ends. */
const ENDS: Readonly<Record<string, () => Promise<Finished>>> = {
  'all succeeded': () => run(),
  'a job failed': () => {
    cli.server.script('aurora-image', [FAILED])
    return run()
  },
  'a row was rejected': async () => {
    env = (await rejecting(cli, (prompt) => prompt === '1')).env
    return run()
  },
  'the response of a run was lost': () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    return run()
  },
  'the request of a run was lost': () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'before', times: 1 })
    return run()
  },
  'a file was not found': async () => {
    const files = await serveSmallFiles()
    files.script(cli, 3)
    files.areMissing = true
    repair = () => {
      files.areMissing = false
    }
    return run()
  },
  'the credits were used up': () => {
    cli.server.limitKey(cli.server.apiKey, { credits: 4 })
    repair = () => cli.server.limitKey(cli.server.apiKey, { credits: 1_000 })
    return run()
  },
  'the key was rotated': async () => {
    await run()
    env = { MODELRUN_API_KEY: cli.server.rotateKey(cli.server.apiKey).key }
    return run()
  },
  'Ctrl-C ended it': () => killed('SIGINT'),
  'a kill ended it': () => killed('SIGKILL'),
  'a kill ended it while a run was sent': async () => {
    cli.server.faults.add({ kind: 'hang', route: 'runModel', when: 'after', times: 1 })
    await killed('SIGKILL')
    return run()
  },
  'the price needed a permission': async () => {
    await cli.write('rows', promptLines(6))
    return run(WITHOUT_LIMIT)
  },
  'the file had other rows': async () => {
    await run()
    await cli.write('rows', '{"prompt":"3"}')
    return run()
  },
  'a column was not of the model': async () => {
    await cli.write('rows', '{"prompt":"0","author":"me"}\n{"prompt":"1","author":"me"}\n')
    return run()
  },
}

/** What a text of the command advises the user to do, as more arguments of the same command. */
const ADVICE: readonly [RegExp, (match: RegExpExecArray) => readonly string[]][] = [
  [/the same command/i, () => []],
  [/--retry-failed/, () => ['--retry-failed']],
  [/--resubmit-unknown/, () => ['--resubmit-unknown']],
  [/--job <row>=<job_id>/, () => jobsOfUnknown()],
  [/--same-account/, () => ['--same-account']],
  [/--new-rows/, () => ['--new-rows']],
  [/--yes/, () => ['--yes']],
  [/--max-credits <number>/, () => ['--max-credits', '1000']],
  [/--ignore-columns ([\w,]+)/, ([, names = '']) => ['--ignore-columns', names]],
  [/folder with --out/, () => ['--out', 'other']],
]

/** What warns that an advice costs more: these alone may pay for a row twice. */
const WARNINGS: Readonly<Record<string, RegExp>> = {
  '--resubmit-unknown': /That may pay for them twice\./,
  '--out': /Another folder with --out is a new batch: all rows are paid there\./,
}

/** The user finds the job of the row 1 in a list of the service. */
function jobsOfUnknown(): string[] {
  const [job] = jobs()
  return job?.kind === 'job' ? ['--job', `1=${job.job_id}`] : []
}

/** How often the prompt was charged that was charged most often. */
function mostCharges(): number {
  const charged = sentRuns(cli).filter(({ jobId }) => {
    return jobId !== undefined && cli.server.job(jobId).status === 'succeeded'
  })
  return Math.max(0, ...sendsByPrompt(cli, charged).values())
}

describe.each(Object.entries(ENDS))('when %s', (name, end) => {
  it('no advice of the batch pays for a row twice when it is followed, unless it says so', async () => {
    await cli.write('rows', promptLines(3))
    const { stdout, stderr, code } = await end()
    // A process that was killed says nothing: its user types the same command.
    const said = code === null ? 'the same command' : stdout + stderr
    const followed = ADVICE.flatMap(([text, more]) => {
      const match = text.exec(said)
      return match === null ? [] : [more(match)]
    })
    if (code !== 0) expect(followed, said).not.toEqual([])
    repair()
    const args = name === 'the price needed a permission' ? WITHOUT_LIMIT : ARGS
    // What pays more, last: it would hide what the others do.
    const safe = followed.filter(([option = '']) => WARNINGS[option] === undefined)
    for (const more of safe) {
      const next = await run([...args, ...more])
      expect(next.stderr).not.toMatch(/`(resolve|resubmit)`|durable batch|\[[A-Z_]+\] \[/)
      expect(mostCharges(), `${more} ${next.stderr}`).toBeLessThanOrEqual(1)
    }
    for (const [option = ''] of followed) if (WARNINGS[option]) expect(said).toMatch(WARNINGS[option])
  })
})
