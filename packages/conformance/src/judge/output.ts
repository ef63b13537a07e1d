import type { Answer } from '../http/answer.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { hasObject, hasText } from './answers.ts'
import { every, type Finding, fail, judge, skip } from './finding.ts'

/** Judges the parts of an output (section 2.5) that stands at a pointer of an answer. */
export const outputJudges = {
  object: (answer: Answer, pointer: string): Finding => hasObject(answer, pointer),
  type: (answer: Answer, pointer: string): Finding => hasText(answer, `${pointer}/type`),
  items: (answer: Answer, pointer: string): Finding => {
    const items = at(answer.json, `${pointer}/items`)
    const isRight = Array.isArray(items) && items.every(isRecord)
    return judge(isRight, `${pointer}/items is ${show(items)}; expected an array of objects`, answer)
  },
  itemTypes: (answer: Answer, pointer: string): Finding =>
    everyItem(answer, pointer, (item) => hasText(answer, `${item}/type`)),
  itemUrls: (answer: Answer, pointer: string): Finding =>
    everyItem(answer, pointer, (item) => {
      const url = at(answer.json, `${item}/url`)
      const isRight = typeof url === 'string' && URL.canParse(url)
      return judge(isRight, `${item}/url is ${isRight ? 'a url' : show(url)}; expected an absolute url`, answer)
    }),
}

/** Judges a whole output. */
export function hasOutput(answer: Answer, pointer: string): Finding {
  const judges = Object.values(outputJudges)
  return every(judges.map((judgePart) => judgePart(answer, pointer)))
}

function everyItem(answer: Answer, pointer: string, judgeItem: (item: string) => Finding): Finding {
  const items = at(answer.json, `${pointer}/items`)
  if (!Array.isArray(items)) return fail(`${pointer}/items is ${show(items)}; expected an array`, answer)
  if (items.length === 0) return skip(`${pointer}/items is empty`, answer)
  return every(items.map((_, index) => judgeItem(`${pointer}/items/${index}`)))
}

/** The addresses of the files, as far as there are any. */
export function fileUrls(output: unknown): string[] {
  return itemsOf(at(output, '/items'))
    .map((item) => at(item, '/url'))
    .filter((url) => typeof url === 'string')
}
