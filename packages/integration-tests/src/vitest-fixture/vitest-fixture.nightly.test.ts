import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'

/** What a test of the project came to. */
interface Outcome {
  status: string
  messages: string
}

const outcomes = new Map<string, Outcome>()

describe('the vitest fixture', () => {
  beforeAll(async () => {
    for (const { title, status, failureMessages } of await runProject()) {
      outcomes.set(title, { status, messages: failureMessages.join('\n') })
    }
  })

  it('runs each test that shall pass', () => {
    const others = [...outcomes].filter(([title, { status }]) => !/fails/.test(title) && status !== 'passed')
    expect([outcomes.size, others]).toEqual([9, []])
  })

  it.each([
    ['fails for a job that continues', /LeftoversError.*The job job_\w+ of aurora-image is/s],
    ['fails for a path that the service does not have', /GET \/v1\/job\/1/],
    ['fails for a script that no run took', /aurora-image has taken its scripted outcome/],
  ])('runs a test that %s, and says why', (title, reason) => {
    expect(outcomes.get(title)).toEqual({ status: 'failed', messages: expect.stringMatching(reason) })
  })

  it('adds no leftovers to an error of the test itself', () => {
    const outcome = outcomes.get('fails with its own error alone')
    expect(outcome).toEqual({ status: 'failed', messages: expect.stringContaining('expected 1 to be 2') })
    expect(outcome?.messages).not.toContain('LeftoversError')
  })
})

/** What vitest's JSON reporter writes. */
interface Report {
  testResults: { assertionResults: AssertionResult[] }[]
}

interface AssertionResult {
  title: string
  status: string
  failureMessages: string[]
}

/** Runs the project in a process of its own, as its user would. */
async function runProject(): Promise<AssertionResult[]> {
  const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')))
  const root = fileURLToPath(new URL('./project', import.meta.url))
  const folder = folderForTest()
  const outputFile = join(folder, 'report.json')
  const args = [vitest, 'run', '--root', root, '--reporter=json', `--outputFile=${outputFile}`]
  // It ends with 1, because tests of it fail.
  await new Promise((resolve) => execFile(process.execPath, args, { env: cleanEnvironment() }, resolve))
  const { testResults }: Report = JSON.parse(await readFile(outputFile, 'utf8'))
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

/** Without the variables by which vitest detects that it is inside a test. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$)/.test(name)))
}
