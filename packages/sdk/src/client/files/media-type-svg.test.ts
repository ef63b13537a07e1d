import { expect, test } from 'vitest'
import { isSvg } from './media-type.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test.each([
  '<svg/>',
  `<!DOCTYPE svg PUBLIC "x" [\r\n${'<!ENTITY ns "http://a.test/1.0/">\n'.repeat(30)}] >\n<svg>`,
  '\ufeff \n<?xml version="1.0" encoding="UTF-8"?>\n<!-- a > b --><!---->\n<!DOCTYPE svg PUBLIC "x">\n<SVG width="1">',
])('an svg element makes an SVG: %j', (text) => {
  expect(isSvg(bytes(text))).toBe(true)
})

test.each([
  '<!DOCTYPE html><svg/>',
  '<html><svg/></html>',
  '<!-- <svg/> -->',
  'x<svg/>',
  '<svgs/>',
  '<!DOCTYPE svg [<!ENTITY a "b"><svg/>',
  '\0<svg/>',
  '',
])('something before the svg element makes it something else: %j', (text) => {
  expect(isSvg(bytes(text))).toBe(false)
})

test('a text that is made to take long is read once', () => {
  // A second reading of each part would not end before the time limit of the test runner.
  expect(isSvg(bytes('<!---->'.repeat(100)))).toBe(false)
  expect(isSvg(bytes('<!DOCTYPE svg [] >'.repeat(200)))).toBe(false)
  expect(isSvg(bytes(`<!--${'-->--'.repeat(100)}`))).toBe(false)
})
