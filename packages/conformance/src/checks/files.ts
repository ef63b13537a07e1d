import { type Check, check, defineScenario } from '../check.ts'
import { at } from '../json.ts'
import { BlockedError, judge, observe, skip } from '../judge/finding.ts'
import { fileUrls } from '../judge/output.ts'
import { defaultRun } from './runs.ts'

/** The first file of a run, read without the API key. */
const firstFile = defineScenario('first-file', { uses: [defaultRun] }, async (session) => {
  const { response } = await session.evidence(defaultRun)
  const [url] = fileUrls(at(response.json, '/output'))
  if (url === undefined) throw new BlockedError('the run has no file', response)
  if (!/^https?:/i.test(url)) throw new BlockedError(`a file at ${new URL(url).protocol} is not read`, response)
  return session.download(url)
})

/** The produced files (section 2.5). */
export const FILES_CHECKS: readonly Check[] = [
  check('files/can-be-read', firstFile, (file) => {
    const needsKey = file.status === 401 || file.status === 403
    if (needsKey) return skip(`status ${file.status}: the file is not public, and the key is sent nowhere else`, file)
    const isRight = file.status === 200 && file.text !== '[0 bytes read]'
    return judge(isRight, `status ${file.status}, ${file.text}; expected a file`, file)
  }),
  check('files/access', firstFile, (file) =>
    observe(file.status === 200 ? 'public' : 'rejected', `without a key: status ${file.status}`, file),
  ),
]
