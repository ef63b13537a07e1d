import { describe, expect, it } from 'vitest'
import { HELP, readCommand, UsageError } from './cli-options.ts'

const DEFAULTS = {
  kind: 'serve',
  port: 4010,
  host: '127.0.0.1',
  baseUrl: undefined,
  clock: 'system',
  seed: undefined,
  credits: undefined,
  announce: 'text',
}

describe('readCommand', () => {
  it.each([
    ['', {}],
    ['--port 0', { port: 0 }],
    ['--port=8080', { port: 8080 }],
    ['--port 1 --port 2', { port: 2 }],
    ['--host [::1]', { host: '::1' }],
    ['--base-url http://models:4010/', { baseUrl: 'http://models:4010' }],
    ['--scale 60', { clock: { scale: 60 } }],
    ['--scale .5', { clock: { scale: 0.5 } }],
    ['--clock manual', { clock: 'manual' }],
    ['--clock auto', { clock: 'auto' }],
    ['--seed -7', { seed: -7 }],
    ['--host ::1', { host: '::1', seed: undefined }],
    ['--host 0.0.0.0 --seed 1', { host: '0.0.0.0', seed: 1 }],
    ['--host 0.0.0.0', { host: '0.0.0.0', seed: expect.any(Number) }],
    ['--credits 0', { credits: 0 }],
    ['--json', { announce: 'json' }],
    ['--quiet', { announce: 'nothing' }],
    ['--quiet --json', { announce: 'json' }],
  ])('reads "%s"', (line, expected) => {
    expect(readCommand(line.split(' ').filter(Boolean))).toEqual({ ...DEFAULTS, ...expected })
  })

  it.each([
    ['--help', 'help'],
    ['-h', 'help'],
    ['--port 1 --help --version', 'help'],
    ['--version', 'version'],
  ])('reads "%s" as %s', (line, kind) => {
    expect(readCommand(line.split(' '))).toEqual({ kind })
  })

  it.each([
    ['--prot 1', 'There is no option --prot. Did you mean --port?'],
    ['--Port 1', 'There is no option --Port. Did you mean --port?'],
    [
      '--verbose',
      'There is no option --verbose. ' +
        'Options: --port, --host, --base-url, --scale, --clock, --seed, --credits, --json, --quiet, --help, --version.',
    ],
    ['--constructor', 'There is no option --constructor. Options: --port,'],
    ['-x', 'There is no option -x. Options: --port,'],
    ['8080', '"8080" is no option. Every option begins with --.'],
    ['--port', '--port needs a value: --port <number>.'],
    ['--port=', '--port needs a value: --port <number>.'],
    ['--json=yes', '--json takes no value, got "yes".'],
    ['--port abc', '--port must be an integer from 0 to 65535, got "abc".'],
    ['--port 65536', '--port must be an integer from 0 to 65535, got "65536".'],
    ['--port 1.5', '--port must be an integer from 0 to 65535, got "1.5".'],
    ['--port -1', '--port must be an integer from 0 to 65535, got "-1".'],
    ['--port 0x10', '--port must be an integer from 0 to 65535, got "0x10".'],
    ['--port --json', '--port must be an integer from 0 to 65535, got "--json".'],
    ['--credits -1', '--credits must be an integer, 0 or more, got "-1".'],
    ['--seed 1e3', '--seed must be an integer, got "1e3".'],
    ['--seed 9007199254740993', '--seed must be an integer, got "9007199254740993".'],
    ['--base-url models:4010', '--base-url must be an http or https URL without query'],
    ['--scale 0', '--scale must be a number above 0, such as 60, and at most 1000000, got "0".'],
    ['--scale 1000001', '--scale must be a number above 0, such as 60, and at most 1000000, got "1000001".'],
    ['--scale fast', '--scale must be a number above 0, such as 60, and at most 1000000, got "fast".'],
    ['--clock atomic', '--clock must be one of system, manual, auto, got "atomic".'],
    ['--clock auto --scale 2', '--scale is a clock of its own: leave --clock out, or --scale.'],
  ])('refuses "%s" and says what is allowed', (line, message) => {
    expect(() => readCommand(line.split(' '))).toThrow(UsageError)
    expect(() => readCommand(line.split(' '))).toThrow(message)
  })

  it('names every option in its help, in lines that fit a terminal', () => {
    const lines = HELP.split('\n')
    const names = ['port', 'host', 'base-url', 'scale', 'clock', 'seed', 'credits', 'json', 'quiet', 'help', 'version']
    for (const name of names) {
      expect(lines.filter((line) => line.trimStart().startsWith(`--${name} `))).toHaveLength(1)
    }
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  })
})
