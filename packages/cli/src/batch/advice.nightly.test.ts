import { beforeEach, describe, expect, it } from 'vitest'
import { BATCH, type RejectingService, rejecting, type SmallFiles, serveSmallFiles } from '../../test/batch-fixtures.ts'
import { CliHarness, type Finished } from '../../test/cli-harness.ts'

let cli: CliHarness
let files: SmallFiles
let front: RejectingService | undefined

beforeEach(async () => {
  cli = await CliHarness.create({ credits: 1_000 })
  files = await serveSmallFiles()
})

/** A way in which a batch of the rows a, b and c ends. */
interface Kind {
  name: string
  args?: readonly string[]
  rows?: string | Buffer
  /** Starts the batch, and gives how it ended. */
  end(args: readonly string[]): Promise<Finished>
  /** What the user repairs before the advice is followed. */
  repair?(): Record<string, string> | undefined
}

const ROWS = '{"prompt":"a"}\n{"prompt":"b"}\n{"prompt":"c"}\n'
const ARGS = [...BATCH, '--inputs', 'rows', '--concurrency', '1']
const FAILED = { result: 'failed' as const, error: { code: 'PROVIDER_FAILURE', message: 'no paint' } }
const jobs = () => cli.server.journal.entries({ kind: 'job' })

/** Ends the batch by a signal when its first job exists. */
async function killed(args: readonly string[], signal: NodeJS.Signals): Promise<Finished> {
  const { child, ended } = cli.start(args)
  await expect.poll(() => jobs().length, { timeout: 20_000 }).toBeGreaterThan(0)
  child.kill(signal)
  return ended
}

const KINDS: readonly Kind[] = [
  { name: 'all succeeded', end: (args) => cli.run(args) },
  {
    name: 'a job failed',
    end: (args) => {
      cli.server.script('aurora-image', [FAILED])
      return cli.run(args)
    },
  },
  {
    name: 'a row was rejected',
    end: async (args) => {
      front = await rejecting(cli, (prompt) => prompt === 'b')
      return cli.run(args, { env: front.env })
    },
    repair: () => front?.env,
  },
  {
    name: 'the response of a run was lost',
    end: (args) => {
      cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
      return cli.run(args)
    },
  },
  {
    name: 'the request of a run was lost',
    end: (args) => {
      cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'before', times: 1 })
      return cli.run(args)
    },
  },
  {
    name: 'a file was not found',
    end: (args) => {
      files.script(cli, 3)
      files.areMissing = true
      return cli.run(args)
    },
    repair: () => {
      files.areMissing = false
      return undefined
    },
  },
  {
    name: 'the credits were used up',
    end: (args) => {
      cli.server.limitKey(cli.server.apiKey, { credits: 4 })
      return cli.run(args)
    },
    repair: () => {
      cli.server.limitKey(cli.server.apiKey, { credits: 1_000 })
      return undefined
    },
  },
  {
    name: 'the key was rotated',
    end: async (args) => {
      await cli.run(args)
      rotated = { MODELRUN_API_KEY: cli.server.rotateKey(cli.server.apiKey).key }
      return cli.run(args, { env: rotated })
    },
    repair: () => rotated,
  },
  { name: 'Ctrl-C ended it', end: (args) => killed(args, 'SIGINT') },
  { name: 'a kill ended it', end: (args) => killed(args, 'SIGKILL') },
  {
    name: 'a kill ended it while a run was sent',
    end: (args) => {
      cli.server.faults.add({ kind: 'hang', route: 'runModel', when: 'after', times: 1 })
      return killed(args, 'SIGKILL').then(() => cli.run(args))
    },
  },
  {
    name: 'the price needed a permission',
    args: ['batch', 'aurora-image', '--out', 'out', '--inputs', 'rows'],
    rows: Array.from({ length: 6 }, (_, index) => `{"prompt":"${index}"}`).join('\n'),
    end: (args) => cli.run(args),
  },
  {
    name: 'the file had other rows',
    end: async (args) => {
      await cli.run(args)
      await cli.write('rows', '{"prompt":"d"}')
      return cli.run(args)
    },
  },
  {
    name: 'a column was not of the model',
    rows: '{"prompt":"a","author":"me"}\n{"prompt":"b","author":"me"}\n',
    end: (args) => cli.run(args),
  },
]

let rotated: Record<string, string>

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

/** How often each prompt was charged. */
async function charges(): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const entry of cli.server.journal.entries({ kind: 'request' })) {
    if (entry.kind !== 'request' || entry.route !== 'runModel' || entry.job_id === undefined) continue
    const { status } = cli.server.job(entry.job_id)
    const prompt = String(JSON.parse(entry.requestBody ?? '').input.prompt)
    if (status === 'succeeded') counts.set(prompt, (counts.get(prompt) ?? 0) + 1)
  }
  return counts
}

describe.each(KINDS)('when $name', ({ args = ARGS, rows = ROWS, end, repair }) => {
  it('no advice of the batch pays for a row twice when it is followed, unless it says so', {
    timeout: 120_000,
  }, async () => {
    await cli.write('rows', rows)
    const { stdout, stderr, code } = await end(args)
    // A process that was killed says nothing: its user types the same command.
    const said = code === null ? 'the same command' : stdout + stderr
    const followed = ADVICE.flatMap(([text, more]) => {
      const match = text.exec(said)
      return match === null ? [] : [more(match)]
    })
    if (code !== 0) expect(followed, said).not.toEqual([])
    const env = repair?.() ?? {}
    // What pays more, last: it would hide what the others do.
    const safe = followed.filter(([option = '']) => WARNINGS[option] === undefined)
    for (const more of safe) {
      const next = await cli.run([...args, ...more], { env })
      expect(next.stderr).not.toMatch(/`(resolve|resubmit)`|durable batch|\[[A-Z_]+\] \[/)
      expect(Math.max(0, ...(await charges()).values()), `${more} ${next.stderr}`).toBeLessThanOrEqual(1)
    }
    for (const [option = ''] of followed) if (WARNINGS[option]) expect(said).toMatch(WARNINGS[option])
  })
})
