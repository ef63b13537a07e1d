import { Argument, Command, InvalidArgumentError } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { readDuration } from '../run/run-options.ts'
import { addServiceOptions } from '../service/service-options.ts'
import type { ListenOptions } from './run-listen.ts'
import type { TriggerEvent, TriggerOptions } from './run-trigger.ts'

const SIGNED = `

An inbox of modelrun/webhooks with a secret takes deliveries with a callback token only: set the variable
MODELRUN_INBOX_SECRET to its secret, and --public-url to its publicUrl if that is another url.`

const LISTEN_DETAILS = `
No tunnel is needed: the jobs are polled, and each end is posted to the url as the service posts it (section 6).
Without ids it follows the runs that are started here, until Ctrl-C. With ids it ends when all of them are delivered.
What a poll does not say is filled in: completed_at is the time of the poll, credits_used the price when the run started.
Cancelled jobs are not delivered.

Example:
  modelrun listen --forward-to http://localhost:3000/webhooks --duplicate 1 --drop 0.1${SIGNED}`

/** `modelrun listen` */
export function createListenCommand(context: CliContext): Command {
  const command = new Command('listen')
    .description('deliver the ends of jobs to a webhook receiver on this machine')
    .argument('[ids...]', 'ids of jobs')
    .requiredOption('--forward-to <url>', 'url of the receiver', readUrl)
    .option('--public-url <url>', 'publicUrl of its inbox, or none (default: the same url)', readPublicUrl)
    .option('--duplicate <number>', 'deliver each end so many more times', readCount, 0)
    .option('--delay <duration>', 'deliver so much later, such as 5s', readDuration, 0)
    .option('--drop <share>', 'lose this share of the deliveries, from 0 to 1', readShare, 0)
    .option('--reorder', 'deliver up to three seconds later, each by another time')
    .option('--seed <number>', 'the same number loses and delays the same deliveries', readCount, 1)
    .addHelpText('after', LISTEN_DETAILS)
  return addServiceOptions(command).action(
    actionOf(context, async (ids: string[], options: ListenOptions) => {
      const { runListen } = await import('./run-listen.ts')
      return runListen(ids, options, context)
    }),
  )
}

const TRIGGER_DETAILS = `
Example:
  modelrun trigger failed --forward-to http://localhost:3000/webhooks --data '{"error":{"code":"NSFW","message":"x"}}'${SIGNED}
An inbox with a client reads the job from the service, and drops one that is made up. So where the service is that of
modelrun dev, succeeded and failed are real jobs, which cost nothing. At any other service nothing is run: name a job
with --job-id, or post a made-up one.`

/** `modelrun trigger` */
export function createTriggerCommand(context: CliContext): Command {
  const command = new Command('trigger')
    .description('post the delivery of a job to a webhook receiver')
    .addArgument(new Argument('<event>', 'how the job ended').choices(['succeeded', 'failed', 'unknown']))
    .requiredOption('--forward-to <url>', 'url of the receiver', readUrl)
    .option('--public-url <url>', 'publicUrl of its inbox, or none (default: the same url)', readPublicUrl)
    .option('--job-id <id>', 'id of the job (default: a new job)')
    .option('--data <json>', 'members of the body, as a JSON object')
    .option('--duplicate <number>', 'deliver it so many more times', readCount, 0)
    .addHelpText('after', TRIGGER_DETAILS)
  return addServiceOptions(command).action(
    actionOf(context, async (event: TriggerEvent, options: TriggerOptions) => {
      const { runTrigger } = await import('./run-trigger.ts')
      return runTrigger(event, options, context)
    }),
  )
}

/** A url without a scheme is one of this machine. @throws InvalidArgumentError */
function readUrl(text: string): string {
  const url = /^(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/.test(text) ? `http://${text}` : text
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new InvalidArgumentError('It must be an http url, such as http://localhost:3000/webhooks.')
}

/** @throws InvalidArgumentError */
function readPublicUrl(text: string): string {
  return text === 'none' ? text : readUrl(text)
}

/** @throws InvalidArgumentError */
function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 on.')
}

/** @throws InvalidArgumentError */
function readShare(text: string): number {
  const share = Number(text)
  if (text.trim() !== '' && share >= 0 && share <= 1) return share
  throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.1.')
}
