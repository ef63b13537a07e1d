import { describe, expect, it } from 'vitest'
import { readCommand } from './cli-options.ts'

const NEEDED = ['--base-url', 'https://api.example']
const KEY = { MODELRUN_API_KEY: 'sk_test_x' }

describe('readCommand', () => {
  it('asks for nothing that costs by default', () => {
    expect(readCommand(NEEDED, KEY)).toMatchObject({ kind: 'check', allowRuns: false, maxCredits: 0, timeScale: 1 })
  })

  it('reads URL and keys from the environment, and prefers its arguments', () => {
    const env = { MODELRUN_BASE_URL: 'https://env.example', MODELRUN_API_KEY: 'sk_test_env' }
    expect(readCommand([], env)).toMatchObject({ baseUrl: 'https://env.example', apiKey: 'sk_test_env' })
    expect(readCommand(NEEDED, env)).toMatchObject({ baseUrl: 'https://api.example', apiKey: 'sk_test_env' })
  })

  it('reads models with their inputs, keys, reports and limits', () => {
    const command = readCommand(
      [
        ...NEEDED,
        ...['--model', 'aurora-image', '--input', '{"prompt":"x"}', '--slow-model', 'lumen/aurora-video'],
        ...['--report', 'json=a=b.json', '--report', 'text', '--only', 'auth,4.1-06'],
        ...['--job-timeout', '60', '--max-credits', '12.5', '--webhook-port', '0'],
        ...['--read-credits-command', 'credits --left'],
      ],
      { ...KEY, MODELRUN_WITHOUT_JOBS_WRITE_KEY: 'sk_test_w', MODELRUN_NO_CREDITS_KEY: 'sk_test_n' },
    )
    expect(command).toMatchObject({
      models: {
        main: { model: 'aurora-image', input: { prompt: 'x' } },
        slow: { model: 'lumen/aurora-video', input: undefined },
        failing: undefined,
      },
      keys: { 'without-jobs-write': 'sk_test_w', 'no-credits': 'sk_test_n' },
      reports: [
        { format: 'json', path: 'a=b.json' },
        { format: 'text', path: undefined },
      ],
      only: ['auth', '4.1-06'],
      jobMs: 60_000,
      maxCredits: 12.5,
      readCreditsCommand: 'credits --left',
      webhookPort: 0,
    })
  })

  it.each([
    [[], '--base-url <url> is missing. --help lists the options.'],
    [[...NEEDED, '--alow-runs'], "unknown option '--alow-runs'. Did you mean --allow-runs?"],
    [[...NEEDED, '--api-key', 'sk_test_secret'], 'A key is never an argument. Keys are environment variables'],
    [[...NEEDED, '--verbose'], "unknown option '--verbose'. --help lists the options."],
    [[...NEEDED, '-x'], "unknown option '-x'. --help lists the options."],
    [[...NEEDED, 'check'], 'too many arguments. Expected 0 arguments but got 1: check. --help lists the options.'],
    [['--base-url'], "option '--base-url <url>' argument missing. --help lists the options."],
    [[...NEEDED, '--quiet=yes'], "unknown option '--quiet=yes'. --help lists the options."],
    [[...NEEDED, '--report', 'pdf'], '--report must be text or json, with =<path> or not; not "pdf".'],
    [[...NEEDED, '--input', '{}'], '--input belongs to a model: give --model too.'],
    [[...NEEDED, '--slow-model', 'x', '--slow-input', '[]'], '--slow-input must be a JSON object, not "[]".'],
    [[...NEEDED, '--model', 'x', '--input', '{'], '--input must be a JSON object, not "{".'],
    [[...NEEDED, '--max-credits', 'all'], '--max-credits must be a number, 0 or more, not "all".'],
    [[...NEEDED, '--time-scale', '0'], '--time-scale must be a number, above 0, not "0".'],
  ])('rejects %j and says why', (args, message) => {
    expect(() => readCommand(args, KEY)).toThrow(message)
  })

  it('says which variable is missing', () => {
    expect(() => readCommand(NEEDED, {})).toThrow('The environment variable MODELRUN_API_KEY is missing.')
  })

  it('has a help with every option', () => {
    const help = readCommand(['--help'], {})
    for (const name of ['--base-url ', '--max-credits ', '--report ', 'MODELRUN_REVOKED_KEY: ', '--webhook-url '])
      expect(help).toMatchObject({ kind: 'help', text: expect.stringContaining(name) })
  })

  it('does not show a key behind a mistyped option', () => {
    const args = ['--base-url', 'https://api.example', '--api-kye=sk_test_secret']
    expect(() => readCommand(args, {})).toThrow("unknown option '--api-kye=sk_test_[redacted]'")
  })
})
