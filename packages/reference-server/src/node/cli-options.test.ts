import { describe, expect, it } from 'vitest'
import { createProgram, readCommand } from './cli-options.ts'
import { UsageError } from './errors.ts'

function help(): string {
  let text = ''
  const program = createProgram().configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  expect(readCommand(['--port', '1', '--help'], program)).toEqual({ kind: 'done' })
  return text
}

const DEFAULTS = {
  kind: 'serve',
  port: 4010,
  host: '127.0.0.1',
  dashboard: true,
  clock: 'system',
  seed: 'random',
  assumptions: {},
  faults: [],
  announce: 'text',
}

describe('readCommand', () => {
  it.each([
    ['', {}],
    ['--port 0', { port: 0 }],
    ['--port=8080', { port: 8080 }],
    ['--host [::1]', { host: '::1' }],
    ['--base-url http://models:4010/', { baseUrl: 'http://models:4010' }],
    ['--cors http://localhost:5173/ --cors *', { cors: ['http://localhost:5173', '*'] }],
    ['--cors capacitor://localhost', { cors: ['capacitor://localhost'] }],
    ['--control-token 0123456789abcdef', { controlToken: '0123456789abcdef' }],
    ['--exit-with-parent', { exitWithParent: true }],
    ['--key sk_test_mine', { key: 'sk_test_mine' }],
    ['--no-dashboard', { dashboard: false }],
    ['--allow-private-webhooks', { allowPrivateWebhooks: true }],
    ['--scale 60', { clock: { scale: 60 } }],
    ['--scale .5', { clock: { scale: 0.5 } }],
    ['--clock manual', { clock: 'manual' }],
    ['--clock auto', { clock: 'auto' }],
    ['--seed -7', { seed: -7 }],
    ['--host ::1', { host: '::1', seed: 'random' }],
    ['--host 0.0.0.0 --seed 1', { host: '0.0.0.0', seed: 1 }],
    ['--host 0.0.0.0', { host: '0.0.0.0', seed: expect.any(Number) }],
    ['--credits 0', { credits: 0 }],
    ['--catalog ./models.json', { catalog: './models.json' }],
    ['--profile report.json', { profile: 'report.json' }],
    ['--replay recording', { replay: 'recording' }],
    ['--latency 0', { latency: 0 }],
    [
      '--assume asyncRunStatus=200 --assume creditsOfFailedRun=price',
      { assumptions: { asyncRunStatus: 200, creditsOfFailedRun: 'price' } },
    ],
    [
      '--assume unknownJob=410:GONE --assume cancelOfUnknownJob=accepted',
      { assumptions: { unknownJob: { status: 410, code: 'GONE' }, cancelOfUnknownJob: 'accepted' } },
    ],
    ['--assume webhookNeedsManage=true', { assumptions: { webhookNeedsManage: true } }],
    ['--fault reset', { faults: [{ text: 'reset', fault: { kind: 'reset' } }] }],
    [
      '--fault rate-limit,times=2,retry_after=null,probability=0.5,route=runModel',
      {
        faults: [
          {
            text: 'rate-limit,times=2,retry_after=null,probability=0.5,route=runModel',
            fault: { kind: 'rate-limit', times: 2, retry_after: null, probability: 0.5, route: 'runModel' },
          },
        ],
      },
    ],
    ['--json', { announce: 'json' }],
  ])('reads "%s"', (line, expected) => {
    expect(readCommand(line.split(' ').filter(Boolean))).toEqual({ ...DEFAULTS, ...expected })
  })

  it('reads what is to be recorded', () => {
    const line = '--record https://api.test/v/ --to folder --port 0 --host ::1 --exit-with-parent --json'
    expect(readCommand(line.split(' '))).toEqual({
      kind: 'record',
      service: 'https://api.test/v',
      to: 'folder',
      port: 0,
      host: '::1',
      exitWithParent: true,
      announce: 'json',
    })
  })

  it.each([
    ['--prot 1', "unknown option '--prot' (Did you mean --port?)"],
    ['--verbose', "unknown option '--verbose'"],
    ['-x', "unknown option '-x'"],
    ['8080', 'too many arguments. Expected 0 arguments but got 1: 8080.'],
    ['--port', "option '--port <number>' argument missing"],
    ['--port=', '--port needs a value: --port <number>.'],
    ['--json=yes', "unknown option '--json=yes'"],
    ['--port abc', '--port must be an integer from 0 to 65535, got "abc".'],
    ['--port 65536', '--port must be an integer from 0 to 65535, got "65536".'],
    ['--port 1.5', '--port must be an integer from 0 to 65535, got "1.5".'],
    ['--port 0x10', '--port must be an integer from 0 to 65535, got "0x10".'],
    ['--cors localhost:5173', '--cors must be an origin, as in http://localhost:5173, or *, got "localhost:5173".'],
    ['--cors http://localhost/app', '--cors must be an origin, as in http://localhost:5173, or *, got'],
    ['--credits -1', '--credits must be an integer, 0 or more, got "-1".'],
    ['--seed 1e3', '--seed must be an integer, got "1e3".'],
    ['--seed 9007199254740993', '--seed must be an integer, got "9007199254740993".'],
    ['--base-url models:4010', '--base-url must be an http or https URL without query'],
    ['--latency slow', '--latency must be an integer, 0 or more, got "slow".'],
    ['--assume asyncRunStatus', '--assume needs a name and a value, as in asyncRunStatus=200, got "asyncRunStatus".'],
    ['--fault reset,often', '--fault reset,often: behind the kind, each part is name=value; "often" is not.'],
    ['--scale 0', '--scale must be a number above 0, such as 60, and at most 1000000, got "0".'],
    ['--scale 1000001', '--scale must be a number above 0, such as 60, and at most 1000000, got "1000001".'],
    ['--clock atomic', '--clock must be one of system, manual, auto, got "atomic".'],
    ['--record api.test --to x', '--record must be an http or https URL without query or password, got "api.test".'],
    ['--record ftp://api.test --to x', '--record must be an http or https URL'],
    [
      '--record https://api.test',
      '--record needs a folder to write to, as in --record https://api.test --to recording.',
    ],
    ['--to x', '--to is for --record: say what to record.'],
    ['--record https://api.test --to x --scale 60', "cannot be used with option '--scale <factor>'"],
    ['--record https://api.test --to x --no-dashboard', "cannot be used with option '--no-dashboard'"],
    ['--record https://api.test --to x --base-url https://b.test', "cannot be used with option '--base-url <url>'"],
    ['--record https://api.test --to x --replay y', "cannot be used with option '--replay <folder>'"],
    ['--replay x --catalog y', "option '--replay <folder>' cannot be used with option '--catalog <file>'"],
    ['--clock auto --scale 2', "option '--scale <factor>' cannot be used with option '--clock <mode>'"],
  ])('rejects "%s" and says what is allowed', (line, message) => {
    expect(() => readCommand(line.split(' '))).toThrow(UsageError)
    expect(() => readCommand(line.split(' '))).toThrow(message)
  })

  it('names every option in its help, in lines that fit a terminal', () => {
    const lines = help().split('\n')
    for (const { long } of createProgram().options) {
      expect(lines.filter((line) => line.trimStart().startsWith(`${long} `))).toHaveLength(1)
    }
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  })
})
