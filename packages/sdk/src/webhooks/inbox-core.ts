import { cleanText, copyJson, NewestMap, printFailure, RetryAfterError, readOptions } from '@modelrun/kit'
import type { Clock } from '../shared/clock.ts'
import type { HandlerFailure, InboxOptions } from './inbox-options.ts'
import { openQueues } from './queues.ts'
import { INBOX_OPTIONS, resolveInboxOptions } from './resolve-inbox-options.ts'
import { createSubscribers } from './subscribers.ts'

export type InboxCore = ReturnType<typeof createInboxCore>

/** @throws ConfigurationError */
export function createInboxCore(given: InboxOptions) {
  const inboxOptions = readOptions('createInbox', given, INBOX_OPTIONS)
  const options = resolveInboxOptions(inboxOptions)
  const background = createBackground()
  return {
    options,
    queues: openQueues(options.engine, options.name, options.clock),
    hooks: createHooks(inboxOptions, background.track),
    background,
    lane: createLane(options.clock),
    subscribers: createSubscribers(),
    /** Aborts when the inbox drains: it takes no more work. */
    stopping: new AbortController(),
    /** Aborts when the time limit of `drain` is over. */
    aborting: new AbortController(),
  }
}

/** Promises that have not settled yet. */
function createBackground() {
  const running = new Set<Promise<unknown>>()
  return {
    track: <T>(work: Promise<T>): Promise<T> => {
      running.add(work)
      const done = () => running.delete(work)
      work.then(done, done)
      return work
    },
    /** Resolves when all work has settled, including work that was added meanwhile. */
    whenIdle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** Time between two polls of a lane. */
const STEP_MS = 100

/** Polls of a lane at once. The places of handlers that are left are for deliveries. */
const AT_ONCE = 3

/** Turns that are remembered. */
const MAX_TURNS = 10_000

/** Longest wait of a delivery for its turn. */
const MAX_WAIT_MS = 60_000

/**
 * Spaces the polls of this process that nothing waits for: of overdue jobs, and for deliveries of unverified senders. Many of them
 * neither flood the service nor take the places of deliveries.
 */
export function createLane(clock: Clock) {
  // Another process may work a task that has its turn here: old turns are forgotten.
  const turns = new NewestMap<string, number>(MAX_TURNS)
  let nextTurn = Number.NEGATIVE_INFINITY
  let polling = 0
  const msUntilTurn = (taskId: string) => {
    const turn = turns.get(taskId) ?? Math.max(clock.now(), nextTurn)
    if (!turns.has(taskId)) nextTurn = turn + STEP_MS
    turns.set(taskId, turn)
    return Math.max(0, turn - clock.now())
  }
  return {
    /** Polls when it is the turn of the task, and throws a RetryAfterError before. */
    poll: async <T>(taskId: string, poll: () => Promise<T>): Promise<T> => {
      if (polling >= AT_ONCE) throw new RetryAfterError(AT_ONCE * STEP_MS)
      const waitMs = msUntilTurn(taskId)
      if (waitMs > 0) throw new RetryAfterError(waitMs)
      turns.delete(taskId)
      polling += 1
      try {
        return await poll()
      } finally {
        polling -= 1
      }
    },
    /** Milliseconds until the turn of a task. Undefined when too many wait: then it has none. */
    reserve: (taskId: string) => (nextTurn - clock.now() >= MAX_WAIT_MS ? undefined : msUntilTurn(taskId)),
  }
}

type HookName = 'onHandlerError' | 'onDead' | 'onUnconfirmedRun' | 'onWebhookMissed'

type Notice<Name extends HookName> = Parameters<NonNullable<InboxOptions[Name]>>[0]

/** What an inbox warns of once. The sentence follows the id of the job. */
const MISTAKES = {
  unhandled:
    'succeeded, and its result is dropped: nothing waits for it, and the inbox has no handler. Pass `createInbox({ onSucceeded })`.',
  unread: 'cannot be read, and its handler waits until it can be: ',
  missed:
    'ended without a webhook delivery, and a poll found its result. Check that the service can reach `publicUrl`. The hook `onWebhookMissed` is called for each such job.',
  known:
    'is known to the inbox from an earlier run, so that its handler runs once for both. A test server that is started again may repeat its job ids: delete what the inbox has stored.',
} as const

type Mistake = keyof typeof MISTAKES

/**
 * Calls the user's hooks. A hook that throws or rejects is logged, and changes nothing.
 *
 * @param track adds a hook that still runs to the work that `drain` waits for
 */
function createHooks(options: InboxOptions, track: (work: Promise<void>) => unknown) {
  const mistakes = new Set<Mistake>()
  /** Logs what is probably a mistake, the first time that the inbox finds it. */
  const warnOnce = (mistake: Mistake, jobId: string, detail = '') => {
    if (mistakes.has(mistake)) return
    mistakes.add(mistake)
    console.warn(cleanText(`modelrun: the job ${jobId} ${MISTAKES[mistake]}${detail}`))
  }
  const defaults: Partial<Pick<InboxOptions, HookName>> = {
    onHandlerError: logFailure,
    // For a cancelled job the specification shows no delivery.
    onWebhookMissed: ({ jobId, event }) => event.status !== 'unknown' && warnOnce('missed', jobId),
  }
  return {
    notify: <Name extends HookName>(name: Name, notice: Notice<Name>): void => {
      track(callHook(name, options[name] ?? defaults[name], notice))
    },
    warnOnce,
  }
}

/** Calls the hook synchronously, with copies of the event and the context, and catches what it throws or rejects with. */
async function callHook<Name extends HookName>(
  name: Name,
  hook: ((notice: never) => unknown) | undefined,
  notice: Notice<Name>,
) {
  const copy = ([name, value]: [string, unknown]) => [name, name === 'error' ? value : copyJson(value)]
  try {
    // The type of `notify` guarantees that the notice fits: an index by a union loses that.
    await hook?.(Object.fromEntries(Object.entries(notice).map(copy)) as never)
  } catch (error) {
    printFailure('error', `the inbox's hook \`${name}\` failed`, error)
    // The failure of the handler must not be lost with its hook.
    if (name === 'onHandlerError') logFailure(notice as HandlerFailure)
  }
}

function logFailure({ event, attempt, error, isLast }: HandlerFailure): void {
  const next = isLast ? 'it is not tried again' : 'it is tried again'
  printFailure('error', `the webhook of the job ${event.job_id} was not handled (try ${attempt}; ${next})`, error)
}
