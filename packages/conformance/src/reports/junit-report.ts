import type { CheckResult, ConformanceReport } from '../report.ts'
import { proofOf } from './report-lines.ts'

/** A suite for each area, a case for each check. Observations are passed cases with their finding as output. */
export function junitReport(report: ConformanceReport): string {
  const areas = [...new Set(report.results.map(({ area }) => area))]
  return document(areas.map((area) => suite(report, area)))
}

/** The suite could not start: one case with an error, so that a CI system shows the reason. */
export function junitFailure(reason: string): string {
  return document([
    '  <testsuite name="conformance" tests="1" failures="0" skipped="0" errors="1">',
    `    <testcase classname="conformance" name="the suite starts"><error message="${attribute(reason)}"/></testcase>`,
    '  </testsuite>',
  ])
}

function document(suites: readonly string[]): string {
  const head = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="conformance">']
  return [...head, ...suites, '</testsuites>', ''].join('\n')
}

function suite(report: ConformanceReport, area: string): string {
  const results = report.results.filter((result) => result.area === area)
  const count = (wanted: CheckResult['verdict']) => results.filter(({ verdict }) => verdict === wanted).length
  const counts = `tests="${results.length}" failures="${count('fail')}" skipped="${count('skipped')}" errors="0"`
  const cases = results.map((result) => testCase(report, result))
  return [`  <testsuite name="${area}" ${counts}>`, ...cases, '  </testsuite>'].join('\n')
}

function testCase(report: ConformanceReport, result: CheckResult): string {
  const { check, area, detail, verdict, requirements } = result
  const name = requirements.map(({ id, statement }) => `${id} ${statement}`).join(' ')
  const opening = `    <testcase classname="conformance.${area}" name="${attribute(`${name} [${check}]`)}"`
  const message = attribute(detail)
  const proof = () => content(proofOf(report, result).join('\n'))
  const inner = {
    pass: () => '',
    fail: () => `<failure message="${message}">${proof()}</failure>`,
    skipped: () => `<skipped message="${message}"/>`,
    observed: () => `<system-out>${content(detail)}</system-out>`,
  }[verdict]()
  return verdict === 'pass' ? `${opening}/>` : `${opening}>${inner}</testcase>`
}

function content(text: string): string {
  // XML 1.0 cannot hold control characters, not even escaped.
  const printable = text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function attribute(text: string): string {
  return content(text).replaceAll('"', '&quot;').replaceAll('\n', ' ')
}
