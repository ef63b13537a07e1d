import { describe, expect, it } from 'vitest'
import { resolveOptions } from '../options.ts'
import { describeProblem, readCommand } from './cli-options.ts'

const NEEDED = ['--base-url', 'https://api.example']
const KEY = { MODELRUN_API_KEY: 'sk_test_x' }

describe('readCommand', () => {
  it('asks for nothing that costs by default', () => {
    const { options } = readCommand(NEEDED, KEY)
    expect(resolveOptions(options)).toMatchObject({ allowRuns: false, maxCredits: 0 })
  })

  it('reads URL and keys from the environment, and prefers its arguments', () => {
    const env = { MODELRUN_BASE_URL: 'https://env.example', MODELRUN_API_KEY: 'sk_test_env' }
    expect(readCommand([], env).options).toMatchObject({ baseUrl: 'https://env.example', apiKey: 'sk_test_env' })
    expect(readCommand(NEEDED, env).options).toMatchObject({ baseUrl: 'https://api.example', apiKey: 'sk_test_env' })
  })

  it('reads models with their inputs, keys and limits', () => {
    const command = readCommand(
      [
        ...NEEDED,
        ...['--model', 'aurora-image={"prompt":"a=b"}', '--slow-model', 'lumen/aurora-video'],
        ...['--json', 'a=b.json', '--only', 'auth, 4.1-06'],
        ...['--max-credits', '12.5', '--webhook-port', '0'],
        ...['--read-credits-command', 'credits --left'],
      ],
      { ...KEY, MODELRUN_WITHOUT_JOBS_WRITE_KEY: 'sk_test_w', MODELRUN_NO_CREDITS_KEY: 'sk_test_n' },
    )
    expect(command).toMatchObject({
      options: {
        models: {
          main: { model: 'aurora-image', input: { prompt: 'a=b' } },
          slow: { model: 'lumen/aurora-video' },
          failing: undefined,
        },
        keys: { 'without-jobs-write': 'sk_test_w', 'no-credits': 'sk_test_n' },
        only: ['auth', '4.1-06'],
        maxCredits: 12.5,
      },
      json: 'a=b.json',
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
    [[...NEEDED, '--allow-runs=yes'], "unknown option '--allow-runs=yes'. --help lists the options."],
    [[...NEEDED, '--slow-model', 'x=[]'], 'The input in --slow-model must be a JSON object, not "[]".'],
    [[...NEEDED, '--model', 'x={'], 'The input in --model must be a JSON object, not "{".'],
    [[...NEEDED, '--max-credits', 'all'], '--max-credits must be a number, 0 or more, not "all".'],
    [[...NEEDED, '--time-scale', '0'], '--time-scale must be a number, above 0, not "0".'],
  ])('rejects %j and says why', (args, message) => {
    expect(() => readCommand(args, KEY)).toThrow(message)
  })

  it.each([
    [{}, 'The environment variable MODELRUN_API_KEY is missing.'],
    [{ MODELRUN_API_KEY: 'a b' }, 'MODELRUN_API_KEY must be an API key with all permissions, without white space.'],
    [{ ...KEY, MODELRUN_NO_CREDITS_KEY: 'a b' }, 'MODELRUN_NO_CREDITS_KEY must be an API key, without white space.'],
    [{ ...KEY, MODELRUN_BASE_URL: 'api' }, '--base-url must be an http or https URL without a query, not "api".'],
    [{ ...KEY, MODELRUN_BASE_URL: 'http://u:p@api' }, '--base-url must be without a user and a password.'],
    [{ MODELRUN_BASE_URL: 'http://api', MODELRUN_API_KEY: 'sk_live_x' }, 'A live key is not sent over http'],
  ])('says which variable is missing or wrong: %j', (env, message) => {
    const read = () => resolveOptions(readCommand('MODELRUN_BASE_URL' in env ? [] : NEEDED, env).options)
    expect(read).toThrow(expect.toSatisfy((error) => describeProblem(error as Error).startsWith(message)))
  })

  it('does not show a key behind a mistyped option', () => {
    const args = ['--base-url', 'https://api.example', '--api-kye=sk_test_secret']
    expect(() => readCommand(args, {})).toThrow("unknown option '--api-kye=sk_test_[redacted]'")
  })
})
