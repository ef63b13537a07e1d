import { setTimeout as sleep } from 'node:timers/promises'
import { type CallOptions, type Clock, ModelRun, ModelRunError } from 'modelrun'
import { seededRandom } from '../../packages/kit/test/seeded-random.ts'
import { drawWay, type Way } from './ways.ts'
import { openWorld, pick, type Random, type World } from './world.ts'

/** What a sequence of calls came to. */
export interface Verdict {
  calls: number
  posts: number
  charged: number
  broken: string[]
  /** What was between the client and the network, and what the service did. */
  story: string
}

/** How long after its deadline a call may end, in milliseconds of a busy machine. */
const LATE_MS = 30_000
const DEADLINE_MS = 1_500
/** A response that came this long before the end of a call was read. */
const READ_MS = 400

/** When this process last had no processor for a while: its time limits pass then, before it reads what has come. */
let stalledAt = 0
let turnedAt = performance.now()
setInterval(() => {
  const now = performance.now()
  if (now - turnedAt > READ_MS / 2) stalledAt = now
  turnedAt = now
}, 20).unref()

/** A call that sends runs, or waits for one. */
interface Played {
  run: number
  error?: unknown
  jobId?: string | undefined
  startedAt: number
  endedAt: number
  /** True when the caller or a time limit ended it. */
  isCutOff: boolean
}

interface Stage {
  client: ModelRun
  random: Random
  world: World
  played: Played[]
  /** When the current call was made. */
  startedAt: number
  nextRun: () => number
}

/** A clock that jumps now and then. */
function jumpingClock(random: Random): Clock {
  let offset = 0
  return {
    now: () => {
      if (random() < 0.05) offset += random() * 400 - 120
      return performance.timeOrigin + performance.now() + offset
    },
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  }
}

async function play(
  stage: Stage,
  run: number,
  call: () => PromiseLike<{ jobId?: string | undefined }>,
): Promise<string | undefined> {
  const played: Played = { run, startedAt: stage.startedAt, endedAt: 0, isCutOff: false }
  stage.played.push(played)
  try {
    played.jobId = (await call()).jobId
  } catch (error) {
    played.error = error
    played.jobId = error instanceof ModelRunError ? error.jobId : undefined
    const name = error instanceof Error ? error.name : ''
    played.isCutOff = ['AbortedError', 'DeadlineExceededError', 'AttemptTimeoutError'].includes(name)
  }
  played.endedAt = performance.now()
  return played.jobId
}

const CALLS: Record<string, (stage: Stage, options: CallOptions) => Promise<void>> = {
  run: async (stage, options) => {
    const n = stage.nextRun()
    const how = { ...options, mode: pick(stage.random, ['async', 'sync'] as const), deadlineMs: DEADLINE_MS }
    await play(stage, n, async () => ({ jobId: (await stage.client.run('m', { n }, how)).job_id }))
  },
  submit: async (stage, options) => {
    const n = stage.nextRun()
    const jobId = await play(stage, n, async () => ({ jobId: (await stage.client.submit('m', { n }, options)).id }))
    if (jobId === undefined) return
    const job = stage.client.jobs.attach(jobId)
    await play(stage, n, async () => ({ jobId: (await job.result({ ...options, deadlineMs: DEADLINE_MS })).job_id }))
  },
  cancel: async (stage, options) => {
    const n = stage.nextRun()
    const jobId = await play(stage, n, async () => ({ jobId: (await stage.client.submit('m', { n }, options)).id }))
    if (jobId === undefined) return
    await play(stage, n, async () => stage.client.jobs.cancel(jobId, options).then(() => ({ jobId })))
  },
  runMany: async (stage, options) => {
    const inputs = [{ n: stage.nextRun() }, { n: stage.nextRun() }, { n: stage.nextRun() }]
    const how = { ...options, deadlineMs: DEADLINE_MS, concurrency: 2 }
    const [first] = inputs
    try {
      for await (const { index, job_id, ...end } of stage.client.runMany('m', inputs, how)) {
        const settled = async () => {
          if (end.status === 'rejected') throw end.reason
          return { jobId: job_id }
        }
        await play(stage, inputs[index]?.n ?? -1, settled)
      }
    } catch (error) {
      // It is about all of the runs.
      const isTrue = error instanceof ModelRunError && error.submission !== 'not_sent'
      if (!isTrue) await play(stage, first?.n ?? -1, () => Promise.reject(error))
    }
  },
  request: async (stage, options) => {
    const n = stage.nextRun()
    const body = { input: { n }, sync: false }
    await play(stage, n, async () => {
      const { data } = await stage.client.request('POST', '/v1/models/m/run', { ...options, body }).withResponse()
      return { jobId: (data as { job_id?: string } | null)?.job_id }
    })
  },
}

/** Plays the sequence of a seed. */
export async function playSequence(seed: number): Promise<Verdict> {
  const random = seededRandom(seed)
  const world = await openWorld(random)
  const broken: string[] = []
  const chargedOf = (run: number) => world.posts.filter((post) => post.run === run && post.jobId !== undefined)
  const way = drawWay(random, ({ body = '' }) => {
    const run = Number(/"n":(\d+)/.exec(body)?.[1] ?? -2)
    if (chargedOf(run).length > 0) broken.push(`run ${run} was charged, and is sent again`)
  })
  let runs = 0
  const client = new ModelRun({
    apiKey: 'sk_test_0123456789abcdef',
    baseUrl: world.url,
    logLevel: 'off',
    random: () => 0,
    timeoutMs: 1_000,
    maxRetries: Math.floor(random() * 4),
    polling: { initialIntervalMs: 5, maxIntervalMs: 20 },
    ...(random() < 0.2 && { clock: jumpingClock(random) }),
    ...way.options,
  })
  const stage: Stage = { client, random, world, played: [], startedAt: 0, nextRun: () => ++runs }
  const names: string[] = []
  for (let count = 1 + Math.floor(random() * 3); count > 0; count--) {
    const name = pick(random, Object.keys(CALLS))
    names.push(name)
    stage.startedAt = performance.now()
    const controller = new AbortController()
    const timer = random() < 0.3 ? setTimeout(() => controller.abort(), random() * 60) : undefined
    const playing = way.run(async () => CALLS[name]?.(stage, { signal: controller.signal }))
    const late = sleep(LATE_MS, 'late', { ref: false })
    if ((await Promise.race([playing, late])) === 'late') broken.push(`${name} does not end`)
    clearTimeout(timer)
  }
  for (const played of stage.played) broken.push(...judge(played, way, world))
  if (!way.mayRepeat) {
    for (let run = 1; run <= runs; run++) if (chargedOf(run).length > 1) broken.push(`run ${run} is charged twice`)
  }
  world.close()
  const charged = world.posts.filter(({ jobId }) => jobId !== undefined).length
  const story = `${way.name} | ${names.join(', ')} | ${world.acts.join(', ')}`
  return { calls: names.length, posts: world.posts.length, charged, broken, story }
}

/** What is untrue of the end of one call. */
function* judge(played: Played, way: Way, world: World): Generator<string> {
  const { run, error, jobId } = played
  if (error === undefined) return
  if (!(error instanceof ModelRunError)) return yield `a raw error: ${error}`
  const posts = world.posts.filter((post) => post.run === run)
  const jobs = posts.flatMap((post) => (post.jobId === undefined ? [] : [post.jobId]))
  const isUnnamed = jobs.length > 0 && jobId === undefined
  const { submission, message, isRetryable } = error
  if (submission === 'not_sent' && posts.length > 0) yield `run ${run} is not_sent, and arrived: ${message}`
  if (submission === 'rejected' && isUnnamed) yield `run ${run} is rejected, and has a job: ${message}`
  if (/nothing is charged/.test(message) && jobs.length > 0) yield `run ${run} says that nothing is charged: ${message}`
  if (isRetryable && isUnnamed) yield `run ${run} is retryable, and charged: ${message}`
  const known = knownJob(played, posts, { way, world })
  if (isUnnamed && known !== undefined) yield `run ${run} does not name its job ${known}: ${message}`
}

/** The job whose id the client has, by what it was sent and has polled. */
function knownJob(
  { startedAt, endedAt, isCutOff }: Played,
  posts: World['posts'],
  { way, world }: { way: Way; world: World },
): string | undefined {
  const polled = posts.find(({ jobId = '' }) => world.polled.has(jobId))
  // A service that dies takes back what it has written and the client has not read.
  const isDead = world.acts.some((act) => act.startsWith('dies'))
  const isSteady = !isDead && (!isCutOff || stalledAt < startedAt)
  const readBefore = isCutOff ? endedAt - READ_MS : endedAt
  const read = posts.find(({ namedAt = Infinity }) => way.passesOn && isSteady && namedAt < readBefore)
  return (polled ?? read)?.jobId
}
