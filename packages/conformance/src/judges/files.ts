import { type Check, check, defineScenario } from '../check.ts'
import { BlockedError, judge, observe, skip } from '../finding.ts'
import { at, itemsOf } from '../json.ts'
import { FIRST } from '../scenarios/runs.ts'
import { worldOf } from './world.ts'

/** The first file of a run, read without the API key. */
const firstFile = defineScenario('first-file', { uses: [FIRST.default] }, async (session) => {
  await session.evidence(FIRST.default)
  const outputs = worldOf(session).sentRuns.map(({ response }) => at(response.json, '/output/items'))
  const url = outputs
    .flatMap(itemsOf)
    .map((item) => at(item, '/url'))
    .find((one) => typeof one === 'string')
  if (typeof url !== 'string') throw new BlockedError('no run has a file')
  if (!/^https?:/i.test(url)) throw new BlockedError(`a file at ${url.split(':')[0]}: is not read`)
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
