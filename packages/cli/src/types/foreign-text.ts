/** Longer texts are cut: a hover text is read, and not searched. */
const MAX_TEXT = 2_000

/** What ends a line, for JavaScript or for some editor. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/** Characters that are not seen, or change how others are seen: a reader of the file must see what it says. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu

/**
 * Text of a catalog that is safe inside a comment: it does not end the comment, has no instruction for the compiler or
 * JSDoc, and no link or image for the editor that shows it. Lines end in `\n`.
 */
export function commentText(text: string): string {
  const lines = cut(text)
    .split(LINE_END)
    .map((line) => line.replace(INVISIBLE, ' ').trimEnd())
  return lines
    .join('\n')
    .trim()
    .replace(/\n{3,}/g, '\n\n')
    .replaceAll('*/', '*\\/')
    .replaceAll('](', '] (')
    .replace(/(?<!\w)@/g, '\\@')
}

export function commentLine(text: string): string {
  return commentText(text).replace(/\s+/g, ' ')
}

/** A part of the text without halves of characters, which no file can hold. */
function cut(text: string): string {
  const part = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
  return part.replace(/\p{Cs}/gu, '\ufffd')
}

/** A string literal of TypeScript in single quotes, all of whose characters can be seen. */
export function quote(text: string): string {
  return `'${text.replace(/['\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, escapeCharacter)}'`
}

function escapeCharacter(character: string): string {
  return /['\\]/.test(character) ? `\\${character}` : `\\u{${character.codePointAt(0)?.toString(16)}}`
}

/** The name of a member: as it is when it is an identifier, else quoted. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

/** JSON in printable ASCII: one line in every language. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
