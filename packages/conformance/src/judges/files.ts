import type { Check } from '../check.ts'
import { every, type Finding, judge, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { judgeAll, type Source } from './judge-world.ts'

/** Files, each read without the API key right after its job ended: a service need not keep them for long. */
const FILES: Source<ApiResponse> = {
  from: [FIRST.default, FIRST.async, ...LASTS],
  pick: ({ session }) => session.files.responses,
  nothing: 'no run has a file that can be read over HTTP',
}

/** The produced files (section 2.5). */
export const FILES_CHECKS: readonly Check[] = [
  judgeAll('files/can-be-read', FILES, (files, { session }) => {
    const open = files.filter(({ status }) => status === 200).map(hostOf)
    const found = files.map((response) => isFile(response, open.includes(hostOf(response))))
    return every([...found, ...session.files.moved.map(isSame)])
  }),
]

const hostOf = ({ exchange }: ApiResponse) => new URL(exchange.request.url).host

/** @param isOpen whether other files of its host can be read without the key */
function isFile(response: ApiResponse, isOpen: boolean): Finding {
  const { status, text, headers } = response
  const needsKey = !isOpen && (status === 401 || status === 403)
  if (needsKey) return skip(`status ${status}: the file is not public, and the key is sent nowhere else`, response)
  const type = headers.get('content-type') ?? 'no content type'
  const isRight = status === 200 && !text.startsWith('[0 bytes') && !/^text\/html/i.test(type)
  return judge(isRight, `the URL of an item returns status ${status}, ${type}, ${text}; expected a file`, response)
}

/** Judges that a later URL of a file has the same file, as long as the first one has it. */
function isSame([first, other]: readonly [ApiResponse, ApiResponse]): Finding {
  if (first.status !== 200) return skip('the first URL no longer has the file', first)
  const detail = `a later URL of a file returns status ${other.status}, ${other.text}; the first one has ${first.text}`
  return judge(other.status === 200 && other.text === first.text, detail, [first, other])
}
