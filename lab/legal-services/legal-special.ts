import { isRejection, type LegalChoices, type Rejection } from './legal-choices.ts'

// Values of which nothing says what they mean (sections 4.1 and 4.3).

/** A `webhook_url` that is not a URL: none, one to which nothing is delivered (empty), or a rejection. */
export function specialWebhook(
  url: unknown,
  choices: LegalChoices,
): { url: string | undefined } | Rejection | undefined {
  if (URL.canParse(String(url))) return undefined
  const choice = choiceOf(url, choices)
  if (choice === 'as scheme' || isRejection(choice)) return isRejection(choice) ? choice : undefined
  return { url: choice === 'webhook' ? '' : undefined }
}

function choiceOf(url: unknown, choices: LegalChoices) {
  if (url === null) return choices.webhookNull
  if (url === '') return choices.webhookEmpty
  return typeof url === 'number' ? choices.webhookNumber : choices.webhookMalformed
}

export function specialInput(input: Record<string, unknown>, choices: LegalChoices): Rejection | undefined {
  if (input.prompt === '' && isRejection(choices.requiredEmpty)) return choices.requiredEmpty
  return input.num_images === null && isRejection(choices.optionalNull) ? choices.optionalNull : undefined
}

export function specialSync(given: unknown, { syncTexts }: LegalChoices): unknown {
  if (typeof given !== 'string' || syncTexts === 'rejected') return given
  if (syncTexts === 'words') return { false: false, '0': false, true: true, '1': true, yes: true }[given]
  return syncTexts === 'all are true' || given !== 'false'
}

export function specialQuery(query: URLSearchParams, choices: LegalChoices): Rejection | undefined {
  const { emptyCategory, emptyPage, mixedPage } = choices
  const places = [query.get('limit'), query.get('offset')]
  if (query.get('category') === '' && isRejection(emptyCategory)) return emptyCategory
  if (places.includes('') && isRejection(emptyPage)) return emptyPage
  return places.some(isMixed) && isRejection(mixedPage) ? mixedPage : undefined
}

/** The number that such a place means; `undefined` where it is like any other wrong one. */
export function specialPlace(
  text: string,
  minimum: number,
  { emptyPage, mixedPage }: LegalChoices,
): number | undefined {
  if (text === '' && emptyPage === 'least') return minimum
  return isMixed(text) && mixedPage === 'number' ? Number.parseInt(text, 10) : undefined
}

const isMixed = (text: string | null) => /^\d+[a-z]/.test(text ?? '')
