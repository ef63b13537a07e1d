import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at } from '../json.ts'
import { BlockedError, judge, observe } from '../judge/finding.ts'
import { fileUrls } from '../judge/output.ts'
import { defaultRun } from './runs-scenarios.ts'

/** The first file of a run, read without the API key. */
const firstFile: Scenario<Answer> = {
  id: 'first-file',
  uses: [defaultRun],
  perform: async (session) => {
    const { answer } = await session.evidence(defaultRun)
    const [url] = fileUrls(at(answer.json, '/output'))
    if (url === undefined) throw new BlockedError('the run has no file', answer)
    return session.download(url)
  },
}

/** The produced files (section 2.5). */
export const FILES_CHECKS: readonly Check[] = [
  check('files/can-be-read', firstFile, (file) => {
    const needsKey = file.status === 401 || file.status === 403
    const isRight = needsKey || (file.status === 200 && file.text !== '[0 bytes read]')
    return judge(isRight, `status ${file.status}, ${file.text}; expected a file, or a refusal without a key`, file)
  }),
  check('files/access', firstFile, (file) =>
    observe(file.status === 200 ? 'public' : 'refused', `without a key: status ${file.status}`, file),
  ),
]
