import { Argument, Command } from 'commander'
import type { CommandEntry } from './context.ts'
import { addConnectionOptions, addReceiverOptions, addSameAccount, addServiceOptions, readCount } from './options.ts'

const LOGIN_DETAILS = `
Url and key are stored together, in a file that only you can read.
The key is typed without being shown, or read from standard input: modelrun login --base-url https://… < key.txt

MODELRUN_BASE_URL and MODELRUN_API_KEY win over them, and one of the two is never combined with them.`

const DEV_DETAILS = `
It runs in memory, makes real images, sounds and videos, and charges nothing. \`npx modelrun-server --help\` is the same
server with every option: faults, catalogs of your own, time that passes faster, state over restarts.`

const MCP_DETAILS = `
It needs the package @modelcontextprotocol/server beside this one. A call that an agent repeats is the same run, and is
paid once, also after kill -9. What was sent is kept in .modelrun in the folder of --out. Several hosts can share it.`

const SIGNED = `

An inbox of modelrun/webhooks with a secret takes deliveries with a callback token only: set the variable
MODELRUN_INBOX_SECRET to its secret, and --public-url to its publicUrl if that is another url.`

const LISTEN_DETAILS = `
No tunnel is needed: the jobs are polled, and each end is posted to the url as the service posts it (section 6).
Without ids it follows the runs that are started here, until Ctrl-C. With ids it ends when all of them are delivered.

Example:
  modelrun listen --forward-to http://localhost:3000/webhooks --duplicate 1${SIGNED}`

const TRIGGER_DETAILS = `
Example:
  modelrun trigger failed --forward-to http://localhost:3000/webhooks --data '{"error":{"code":"NSFW","message":"x"}}'${SIGNED}
An inbox with a client reads the job from the service, and drops one that is made up: use modelrun listen.`

/** The commands around models: accounts, a service on this machine, agents, webhooks. Each loads what it needs when it runs. */
export const DEVELOPMENT_COMMANDS: readonly CommandEntry[] = [
  [
    new Command('login')
      .description('store the url of a service with an API key')
      .option('--base-url <url>', 'url of the service (default: the variable MODELRUN_BASE_URL, else it is asked for)')
      .addHelpText('after', LOGIN_DETAILS),
    [],
    async () => (await import('./service/login.ts')).login,
  ],
  [
    new Command('logout').description('forget the url and the key that are stored'),
    [],
    async () => (await import('./service/login.ts')).logout,
  ],
  [
    new Command('doctor').description('check key, permissions and url; costs nothing'),
    [addServiceOptions],
    async () => (await import('./service/doctor.ts')).runDoctor,
  ],
  [
    new Command('dev')
      .description('start the service on this machine, with example models')
      .option('--port <number>', 'port to listen on; 0 picks a free one', readCount(0, 65_535), 4010)
      .option('--json', 'print one JSON object a line')
      .addHelpText('after', DEV_DETAILS),
    [],
    async () => (await import('./development/run-dev.ts')).runDev,
  ],
  [
    new Command('logs')
      .description(
        'show the requests and deliveries of a service of modelrun dev, and what to do about those that were rejected',
      )
      .option('-f, --follow', 'wait for more, until Ctrl-C; also over restarts of the service'),
    [addServiceOptions],
    async () => (await import('./development/logs.ts')).showLogs,
  ],
  [
    new Command('mcp')
      .description('let an agent run models, by the Model Context Protocol on standard input and output')
      .requiredOption('-o, --out <folder>', 'save the files, and the state of the runs, there')
      .option('--confirm-above <credits>', 'ask the user before a run that costs more', readCount(0), 20)
      .option('--budget <credits>', 'the most that the runs of a day (UTC) may cost', readCount(0), 200)
      .addHelpText('after', MCP_DETAILS),
    [addSameAccount, addConnectionOptions],
    async () => (await import('./mcp/run-mcp.ts')).runMcp,
  ],
  [
    new Command('listen')
      .description('deliver the ends of jobs to a webhook receiver on this machine')
      .argument('[ids...]', 'ids of jobs')
      .addHelpText('after', LISTEN_DETAILS),
    [addReceiverOptions, addServiceOptions],
    async () => (await import('./webhooks/listen.ts')).runListen,
  ],
  [
    new Command('trigger')
      .description('post a made-up delivery to a webhook receiver')
      .addArgument(new Argument('<event>', 'how the job ended').choices(['succeeded', 'failed', 'unknown']))
      .option('--job-id <id>', 'id of the job (default: a new one)')
      .option('--data <json>', 'members of the body, as a JSON object')
      .addHelpText('after', TRIGGER_DETAILS),
    [addReceiverOptions, addServiceOptions],
    async () => (await import('./webhooks/trigger.ts')).runTrigger,
  ],
]
