/** One option of `modelrun-server`, as `parseArgs` and the help need it. */
interface CliOption {
  type: 'string' | 'boolean'
  /** What stands behind it in the help; empty for a switch. */
  value: string
  help: string
  /** The heading that it stands under in the help. */
  group: OptionGroup
  /** It may be given several times. */
  multiple?: true
  short?: string
}

type OptionGroup = (typeof GROUPS)[number]

/** The headings of the help, in order. */
export const GROUPS = ['Where it listens', 'Time', 'What it serves', 'What it prints'] as const

/**
 * Every option. To add one: a row here, a member of `ServeCommand` that `readCommand` fills, and its use in
 * `start-server.ts`. Misspellings, missing values and the help come from this table.
 */
export const OPTIONS = {
  port: {
    type: 'string',
    value: '<number>',
    help: 'port to listen on; 0 picks a free one (default: 4010)',
    group: 'Where it listens',
  },
  host: {
    type: 'string',
    value: '<address>',
    help: 'address to bind; 0.0.0.0 for every one (default: 127.0.0.1)',
    group: 'Where it listens',
  },
  'base-url': {
    type: 'string',
    value: '<url>',
    help: 'address that clients use, and that files get (default: where it listens)',
    group: 'Where it listens',
  },
  cors: {
    type: 'string',
    value: '<origin>',
    help: 'let web pages of this origin call it; * for all',
    group: 'Where it listens',
    multiple: true,
  },
  'exit-with-parent': {
    type: 'boolean',
    value: '',
    help: 'end when standard input, a pipe, is closed, as when its parent dies',
    group: 'Where it listens',
  },
  'control-token': {
    type: 'string',
    value: '<token>',
    help: 'what other machines need for the control API (default: random)',
    group: 'Where it listens',
  },
  'allow-private-webhooks': {
    type: 'boolean',
    value: '',
    help: 'call private addresses although others can reach it',
    group: 'Where it listens',
  },
  'no-dashboard': {
    type: 'boolean',
    value: '',
    help: 'show no dashboard in the browser',
    group: 'Where it listens',
  },
  scale: {
    type: 'string',
    value: '<factor>',
    help: 'let time pass so many times as fast, such as 60',
    group: 'Time',
  },
  clock: {
    type: 'string',
    value: '<mode>',
    help: 'system, manual (time moves when told) or auto (waits are skipped)',
    group: 'Time',
  },
  latency: {
    type: 'string',
    value: '<[model=]ms>',
    help: 'how long runs take: 500, or 2000/9000 (median and 95 %)',
    group: 'Time',
    multiple: true,
  },
  catalog: {
    type: 'string',
    value: '<file>',
    help: 'models of your own, as a JSON array (default: 13 models of all kinds)',
    group: 'What it serves',
  },
  key: {
    type: 'string',
    value: '<sk_test_…>',
    help: 'the first API key (default: made from the seed)',
    group: 'What it serves',
  },
  keys: {
    type: 'string',
    value: '<number>',
    help: 'how many API keys to make, each an account of its own (default: 1)',
    group: 'What it serves',
  },
  credits: {
    type: 'string',
    value: '<number>',
    help: 'credits of each account (default: 10000)',
    group: 'What it serves',
  },
  seed: {
    type: 'string',
    value: '<integer>',
    help: 'start of ids, keys and files (default: 1; random beyond loopback)',
    group: 'What it serves',
  },
  state: {
    type: 'string',
    value: '<file>',
    help: 'keep keys, credits, jobs and faults over restarts',
    group: 'What it serves',
  },
  assume: {
    type: 'string',
    value: '<name=value>',
    help: 'another answer to what the specification leaves open',
    group: 'What it serves',
    multiple: true,
  },
  profile: {
    type: 'string',
    value: '<file>',
    help: 'answer there as a service does: its conformance report, as JSON',
    group: 'What it serves',
  },
  fault: {
    type: 'string',
    value: '<kind[,…]>',
    help: 'make requests go wrong: reset,route=runModel,times=1',
    group: 'What it serves',
    multiple: true,
  },
  json: {
    type: 'boolean',
    value: '',
    help: 'print one line of JSON when ready and nothing else, for programs',
    group: 'What it prints',
  },
  quiet: { type: 'boolean', value: '', help: 'print nothing but errors', group: 'What it prints' },
  help: { type: 'boolean', value: '', help: 'print this text', group: 'What it prints', short: 'h' },
  version: { type: 'boolean', value: '', help: 'print the version', group: 'What it prints' },
} as const satisfies Record<string, CliOption>

export type OptionName = keyof typeof OPTIONS

/** Every option, by its name. */
export const OPTION_LIST: readonly [string, CliOption][] = Object.entries(OPTIONS)

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name)
}
