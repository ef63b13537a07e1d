import type { Check } from '../check.ts'
import { every, type Finding, judge, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { judgeAll, observeFirst, type Source } from './judge-every.ts'

/** Files, each read without the API key right after its job ended: a service need not keep them for long. */
const FILES: Source<{ response: ApiResponse }> = {
  from: [FIRST.default, FIRST.async, ...LASTS],
  pick: ({ session }) => session.files.responses.map((response) => ({ response })),
  nothing: 'no run has a file that can be read over HTTP',
}

/** The produced files (section 2.5). */
export const FILES_CHECKS: readonly Check[] = [
  judgeAll('files/can-be-read', FILES, (files, { session }) => {
    const open = files.filter(({ response }) => response.status === 200).map(({ response }) => hostOf(response))
    const found = files.map(({ response }) => isFile(response, open.includes(hostOf(response))))
    return every([...found, ...session.files.moved.map(isSame)])
  }),
  observeFirst('files/access', FILES, ({ response: { status } }) => (status === 200 ? 'public' : 'rejected')),
]

const hostOf = ({ exchange }: ApiResponse) => new URL(exchange.request.url).host

/** @param isOpen whether other files of its host can be read without the key */
function isFile(response: ApiResponse, isOpen: boolean): Finding {
  const { status, text, headers } = response
  const needsKey = !isOpen && (status === 401 || status === 403)
  if (needsKey) return skip(`status ${status}: the file is not public, and the key is sent nowhere else`, response)
  const type = headers.get('content-type') ?? 'no content type'
  const isRight = status === 200 && !text.startsWith('[0 bytes') && !/^text\/html/i.test(type)
  return judge(isRight, `status ${status}, ${type}, ${text}; expected a file`, response)
}

/** Judges that a later address of a file has the same file, as long as the first one has it. */
function isSame([first, other]: readonly [ApiResponse, ApiResponse]): Finding {
  if (first.status !== 200) return skip('the first address no longer has the file', first)
  const detail = `status ${other.status}, ${other.text} at a later address of a file; the first one has ${first.text}`
  return judge(other.status === 200 && other.text === first.text, detail, [first, other])
}
